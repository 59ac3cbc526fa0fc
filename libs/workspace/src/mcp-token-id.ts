import { sha256 } from '@app/platform/crypto';

/** Returns the id of the row in `mcp_tokens` of a token. The token itself is not stored. */
export function mcpTokenId(kind: string, token: string): string {
  return sha256(`${kind}:${token}`).toString('base64url');
}
