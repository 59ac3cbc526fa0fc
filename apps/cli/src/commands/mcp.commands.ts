import type { Command } from 'commander';
import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import { MCP_CLIENTS, mcpClientConfig } from '../../../../packages/sdk/src/mcp-clients.js';
import { RawBody } from '../../../../packages/sdk/src/request.js';
import { CommandError, usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { installSkill } from '../files/install-skill.js';
import type { Cli } from '../session/cli.js';

const AUTHOR = 'the address for assistants that build agents';

interface McpTool {
  name: string;
  description?: string;
}

interface ToolsAnswer {
  result?: { tools: McpTool[]; nextCursor?: string };
  error?: { message: string };
}

export function configureMcp(mcp: Command, cli: Cli): void {
  mcp
    .command('tools')
    .description('List the tools that the key sees.')
    .option('--author', AUTHOR)
    .action(
      cli.action(async ({ author = false }: { author?: boolean }) => {
        await cli.output.list(toolsOf(await cli.client(), author), {
          columns: [
            ['TOOL', (tool) => tool.name],
            ['DESCRIPTION', (tool) => tool.description],
          ],
          nameOf: (tool: McpTool) => tool.name,
        });
      }),
    );
  mcp
    .command('config')
    .description('Print the configuration of an assistant. It reads the key from AAS_API_KEY.')
    .argument('<client>', MCP_CLIENTS.join(', '))
    .option('--author', AUTHOR)
    .action(
      cli.action(async (name: string, { author = false }: { author?: boolean }) => {
        const client = MCP_CLIENTS.find((each) => each === name);
        if (!client)
          throw usageError(
            `\`${name}\` is not a known client.`,
            '<client>',
            `Write one of: ${MCP_CLIENTS.join(', ')}.`,
          );
        const { address } = await cli.connection();
        await cli.output.print(mcpClientConfig(client, { address, forAuthors: author }));
      }),
    );
}

export function configureSkill(skill: Command, cli: Cli): void {
  skill
    .command('install')
    .description('Write the skill with which a coding assistant writes agents.')
    .option('--to <folder>', 'folder of the skills', '.claude/skills')
    .option('--overwrite', 'replace files that differ')
    .action(
      cli.action(async ({ to, overwrite = false }: { to: string; overwrite?: boolean }) => {
        await cli.output.print(await installSkill(to, overwrite));
      }),
    );
}

async function* toolsOf(aas: AgentAutomation, forAuthors: boolean): AsyncGenerator<McpTool> {
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const body = new RawBody(
      'application/json',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }),
    );
    const headers = { accept: 'application/json, text/event-stream' };
    const path = `/v1/mcp${forAuthors ? '/author' : ''}`;
    const { result, error } = await aas.request<ToolsAnswer>('POST', path, { body }, { headers });
    if (!result) throw refused(error?.message ?? 'no result');
    yield* result.tools;
    cursor = result.nextCursor;
  } while (cursor !== undefined);
}

function refused(message: string): CommandError {
  return new CommandError(`The MCP server refused the list of tools: ${message}.`, { exitCode: EXIT.unavailable });
}
