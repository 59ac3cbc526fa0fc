import { createHash } from 'node:crypto';
import type { JsonValue } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

/** The keys that a visit has found, as short hashes. The first of two equal keys counts. */
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
 * Returns a function for the cursor of an item: the version that its source reports, with a hash of the settings `how`
 * that determine its document. The item is read again if either differs. Undefined for an item without a version.
 */
export function cursorReader(how: JsonValue): (version: string | undefined) => string | undefined {
  const reading = sha256(JSON.stringify(how)).toString('base64url').slice(0, 11);
  return (version) => (version === undefined ? undefined : `${reading} ${version}`);
}
