import type { JsonObject, JsonValue } from '@app/kernel';
import type { Statement } from '@app/platform/database';
import type { SealedBox, SealedCell } from '@app/platform/crypto';

export class Renewal {
  unreadable = 0;

  constructor(private readonly box: SealedBox) {}

  /** Returns undefined if the value is already sealed with this key, or if it cannot be decrypted with any key. */
  renewed(sealed: Uint8Array, cell: SealedCell): Buffer | undefined {
    const by = this.box.sealedBy(sealed);
    if (by === 'current') return undefined;
    try {
      if (by === 'previous') return this.box.seal(this.box.open(sealed, cell), cell);
    } catch {
      // The value is damaged or was sealed for another database field. The next statement counts it.
    }
    this.unreadable++;
    return undefined;
  }
}

export interface FoundRow {
  key: (string | number)[];
  /** Version of the row. Every update of the row changes the version. */
  revision: string;
  workspace: string;
  row: string;
  /** Null if no value of the row needs to be checked. */
  values: JsonObject | null;
}

export interface SealedTable {
  name: string;
  /** A bytea column is one sealed value, and a jsonb column may contain several. */
  columns: readonly string[];
  holdsLookalikes: boolean;
  /**
   * `$1` is the key (jsonb) of the last row of the previous page, or null for the first page. `$2` is the maximum
   * number of rows, including rows without sealed values. `$3` is {@link SealedBox.currentPrefix}.
   */
  find: Statement;
  /**
   * `$1` is a JSON array of `{key, revision, values}`. Skips rows that were changed since they were read, and rows that
   * are locked. Returns one row for each written row.
   */
  replace: Statement;
  renew(found: FoundRow, renewal: Renewal): Record<string, JsonValue>;
}
