import { type FileMembers, fileMembers } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { KeptBytes } from './received-files.service.js';

/** Returns the bytes of a content block, or undefined if it contains none. */
export function blockBytes(block: JsonValue): KeptBytes | undefined {
  if (!isJsonObject(block)) return undefined;
  const { type, data, resource } = block;
  if (type === 'resource' && isJsonObject(resource))
    return kept(resource.blob, resource.mimeType, nameIn(resource.uri));
  return type === 'image' || type === 'audio' ? kept(data, block.mimeType, type) : undefined;
}

/**
 * Returns the blocks with the ids of their files. Blocks that are longer than `maxBytes` together contain no bytes, as
 * with `files: reference`.
 */
export function recordedBlocks(
  blocks: readonly JsonValue[],
  ids: readonly (string | undefined)[],
  files: FileMembers,
  maxBytes: number,
): JsonValue[] {
  const named = blocks.map((block, at) => {
    const file = ids[at];
    return isJsonObject(block) && file !== undefined ? { ...block, file } : block;
  });
  const isStored = ids.some((id) => id !== undefined);
  const isTooLong = isStored && Buffer.byteLength(JSON.stringify(named)) > maxBytes;
  const members = isTooLong ? 'reference' : files;
  return named.map((block) => (isJsonObject(block) ? fileMembers(block, members) : block));
}

function kept(base64: JsonValue | undefined, type: JsonValue | undefined, filename: string): KeptBytes | undefined {
  if (typeof base64 !== 'string') return undefined;
  const contentType = typeof type === 'string' ? type : undefined;
  return { bytes: Buffer.from(base64, 'base64'), filename, contentType };
}

function nameIn(uri: JsonObject[string] | undefined): string {
  const [, segment = ''] = /([^/]*)\/*$/.exec(typeof uri === 'string' ? uri : '') ?? [];
  return segment || 'resource';
}
