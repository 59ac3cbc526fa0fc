import { sha256 } from '@app/platform/crypto';

export function mcpTokenId(kind: string, token: string): string {
  return sha256(`${kind}:${token}`).toString('base64url');
}
