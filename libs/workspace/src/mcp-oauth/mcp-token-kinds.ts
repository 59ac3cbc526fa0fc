export const MCP_TOKEN_KINDS = ['Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken'] as const;
export type McpTokenKind = (typeof MCP_TOKEN_KINDS)[number];
