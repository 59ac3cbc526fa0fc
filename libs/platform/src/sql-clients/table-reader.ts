/** A cell. Values of the database that are none of these, such as JSON and arrays, are JSON texts. */
export type TableCell = string | number | bigint | boolean | Date | Uint8Array | null;

/** One row, by the names of its columns. */
export type TableRow = Readonly<Record<string, TableCell>>;

/** A database that is read: one statement at a time, in a transaction that can write nothing. */
export interface TableReader {
  /** The rows of a SELECT, up to `size` at a time, fewer where they are wide, and never more of them in memory. `values` stand for `$1`, `$2` … (`?` in MySQL). */
  batches(select: string, size: number, values?: readonly unknown[]): AsyncIterable<TableRow[]>;
  /**
   * Whether rows can be had in the order of a column, and from a value of it on that is given as text, so that both agree. `select`: of that
   * column alone, ordered by it, and without rows.
   */
  orders(select: string): Promise<boolean>;
  /** All rows of a SELECT, which may be 20,000 at most. */
  rows(select: string, values: readonly unknown[]): Promise<TableRow[]>;
  /** Breaks the statement that is under way. */
  close(): void;
}

/**
 * Why a database cannot be read: `unreachable` no connection · `refused` the credentials · `query` the statement ·
 * `protocol` the answer breaks the protocol or a limit of time or size.
 */
export type TableReadFailure = 'unreachable' | 'refused' | 'query' | 'protocol';

/** The message is for people and holds nothing of the DSN but its host. */
export class TableReadError extends Error {
  override readonly name = 'TableReadError';

  constructor(
    readonly reason: TableReadFailure,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}
