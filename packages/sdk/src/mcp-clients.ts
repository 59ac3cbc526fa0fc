export const MCP_CLIENTS = ['claude-code', 'codex', 'cursor', 'vscode'] as const;
export type McpClient = (typeof MCP_CLIENTS)[number];

export const MCP_CLIENT_FILES: Readonly<Record<McpClient, string>> = {
  'claude-code': '.mcp.json',
  codex: '~/.codex/config.toml',
  cursor: '.cursor/mcp.json',
  vscode: '.vscode/mcp.json',
};

export interface McpClientOptions {
  address: string;
  forAuthors: boolean;
}

/** Returns the configuration of a client. It reads the API key from the variable `AAS_API_KEY`, and contains no key. */
export function mcpClientConfig(client: McpClient, { address, forAuthors }: McpClientOptions): string {
  const name = forAuthors ? 'aas-author' : 'aas';
  const url = `${address}/v1/mcp${forAuthors ? '/author' : ''}`;
  const headers = (variable: string) => ({ Authorization: `Bearer ${variable}` });
  switch (client) {
    case 'claude-code':
      return json({ mcpServers: { [name]: { type: 'http', url, headers: headers('${AAS_API_KEY}') } } });
    case 'codex':
      return `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "AAS_API_KEY"`;
    case 'cursor':
      return json({ mcpServers: { [name]: { url, headers: headers('${env:AAS_API_KEY}') } } });
    case 'vscode':
      return json({ servers: { [name]: { type: 'http', url, headers: headers('${env:AAS_API_KEY}') } } });
  }
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
