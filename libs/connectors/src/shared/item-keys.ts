import { createHash } from 'node:crypto';
import type { JsonValue } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

/** Keys that a visit has met, a few bytes each. The first of two equal keys counts. */
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
 * Makes the cursor of an item: the mark that its source gives it, and the part of the configuration that makes a document of it. Where
 * either differs the item is read again. Undefined for an item without a mark.
 */
export function cursorReader(how: JsonValue): (mark: string | undefined) => string | undefined {
  const reading = sha256(JSON.stringify(how)).toString('base64url').slice(0, 11);
  return (mark) => (mark === undefined ? undefined : `${reading} ${mark}`);
}
