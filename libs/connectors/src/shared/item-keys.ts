import { createHash } from 'node:crypto';
import type { JsonValue } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

/**
 * The keys that a sync has found, stored as short hashes. If several items have the same key, only the first is read.
 */
export class DuplicateKeys {
  private readonly met = new Set<string>();

  isNew(key: string): boolean {
    const short = createHash('sha256').update(key).digest().subarray(0, 12).toString('base64');
    if (this.met.has(short)) return false;
    this.met.add(short);
    return true;
  }
}

/**
 * Returns a function that computes the cursor of an item from the version that the source reports. The cursor also
 * contains a hash of the settings `how`, which influence the document. If the version or a setting changes, the item is
 * read again. The function returns undefined for an item without a version.
 */
export function cursorReader(how: JsonValue): (version: string | undefined) => string | undefined {
  const reading = sha256(JSON.stringify(how)).toString('base64url').slice(0, 11);
  return (version) => (version === undefined ? undefined : `${reading} ${version}`);
}
