import { isJsonObject, type JsonObject, type JsonValue, replaceFileValues } from '@app/kernel';

export const FILE_MEMBERS = ['inline', 'reference'] as const;
/** Whether the members of a received file include its bytes, as far as the limits of the value allow. */
export type FileMembers = (typeof FILE_MEMBERS)[number];

/**
 * Returns the members of an attachment, a file of a form, a binary response or a block of MCP as the definition wants
 * them. For `reference`, they contain no bytes: `content`, `encoding` and `base64` are null, `data` and `blob` absent.
 */
export function fileMembers(members: JsonObject, files: FileMembers): JsonObject {
  if (files === 'inline') return members;
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]): [string, JsonValue][] => {
      if (ABSENT.has(name)) return [];
      if (NULL.has(name)) return [[name, null]];
      return [[name, name === 'resource' && isJsonObject(value) ? fileMembers(value, files) : value]];
    }),
  );
}

const NULL = new Set(['content', 'encoding', 'base64']);
const ABSENT = new Set(['data', 'blob']);

/** Applies {@link fileMembers} to all stored files in the value, at any depth. */
export function withFileMembers(value: JsonValue, files: FileMembers): JsonValue {
  return files === 'inline' ? value : replaceFileValues(value, (named) => fileMembers(named, files));
}
