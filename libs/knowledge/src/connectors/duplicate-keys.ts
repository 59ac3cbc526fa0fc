import { createHash } from 'node:crypto';

/** Keys that a visit has met: a few bytes each, however long they are. The first of two equal ones counts. */
export class DuplicateKeys {
  private readonly met = new Set<string>();

  isNew(key: string): boolean {
    const short = createHash('sha256').update(key).digest().subarray(0, 12).toString('base64');
    if (this.met.has(short)) return false;
    this.met.add(short);
    return true;
  }
}
