/** One row, by the names of its columns. */
export type TableRow = Readonly<Record<string, unknown>>;

/** A database that is read: one SELECT, row by row, in a transaction that can write nothing. */
export interface TableReader {
  /** The rows of a SELECT, up to `size` at a time, fewer where they are wide, and never more of them in memory. `values` stand for `$1`, `$2` … (`?` in MySQL). */
  batches(select: string, size: number, values?: readonly unknown[]): AsyncIterable<TableRow[]>;
  /**
   * Whether rows can be had in the order of a column, and from a value of it on that is given as text, so that both agree. `select`: of that
   * column alone, ordered by it, and without rows.
   */
  orders(select: string): Promise<boolean>;
  rows(select: string, values: readonly unknown[]): Promise<TableRow[]>;
  /** Breaks whatever is under way. */
  close(): void;
}

/** The database refuses, or cannot be spoken to. The message is for people and holds nothing of the DSN but its host. */
export class TableReadError extends Error {
  override readonly name = 'TableReadError';

  constructor(
    /** `unreachable`: no connection. `refused`: the credentials. `query`: the SELECT. */
    readonly reason: 'unreachable' | 'refused' | 'query',
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}
