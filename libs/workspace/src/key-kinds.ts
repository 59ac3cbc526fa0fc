import { API_KEY_KINDS } from '@app/platform/crypto';

/** Kinds of keys. A key of kind `mcp` has no text: the tokens of an MCP client authenticate with it. */
export const KEY_KINDS = [...API_KEY_KINDS, 'mcp'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];
