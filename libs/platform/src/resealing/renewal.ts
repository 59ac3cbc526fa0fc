import type { SealedBox, SealedCell } from '@app/platform/crypto';

/** Seals values again, and counts them. */
export class Renewal {
  /** Values that none of the keys opens. */
  unreadable = 0;

  constructor(private readonly box: SealedBox) {}

  /** The value sealed with the current key; undefined if it already is, or if no key opens it. */
  renewed(sealed: Uint8Array, cell: SealedCell): Buffer | undefined {
    const by = this.box.sealedBy(sealed);
    if (by === 'current') return undefined;
    try {
      if (by === 'previous') return this.box.seal(this.box.open(sealed, cell), cell);
    } catch {
      // Damaged, or from another cell: counted below.
    }
    this.unreadable++;
    return undefined;
  }
}
