import type { JsonObject, JsonValue } from '@app/kernel';
import type { Statement } from '@app/platform/database';
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

/** A row as {@link SealedTable.find} gives it. */
export interface FoundRow {
  /** The primary key, in its order. */
  key: (string | number)[];
  /** Changes with every update of the row. */
  revision: string;
  workspace: string;
  /** What the row's values are sealed for beside the workspace. */
  row: string;
  /** By column, bytes in base64; null where there is nothing to look at. */
  values: JsonObject | null;
}

/** A table with sealed values in it. */
export interface SealedTable {
  name: string;
  /** Those that hold sealed values: as a whole (bytea), or somewhere inside (jsonb). */
  columns: readonly string[];
  /** True if people may store values there that look sealed and open with no key. */
  holdsLookalikes: boolean;
  /**
   * A page of rows in the order of the primary key. `$1`: the key (jsonb) of the last row before it, null at first;
   * `$2`: how many; `$3`: {@link SealedBox.currentPrefix}. Reads no more than that many rows, whatever it finds in
   * them.
   */
  find: Statement;
  /**
   * Writes what was renewed; `$1`: a JSON array of `{key, revision, values}`. Leaves out rows that were changed since
   * they were found, and skips locked rows. Returns one row for each that was written.
   */
  replace: Statement;
  /** The columns that change, as they are to be stored (bytes in base64). */
  renew(found: FoundRow, renewal: Renewal): Record<string, JsonValue>;
}
