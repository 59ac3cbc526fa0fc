/** The value of a column. Values of types that are not listed here, such as JSON and arrays, become JSON text. */
export type TableCell = string | number | bigint | boolean | Date | Uint8Array | null;

export type TableRow = Readonly<Record<string, TableCell>>;

/** Reads a database in a read-only transaction, one statement at a time. */
export interface TableReader {
  /**
   * Yields the rows of a SELECT in batches of at most `size` rows. If the rows are wide, batches are smaller. Only one
   * batch is in memory.
   * @param values values of the placeholders `$1`, `$2` … (`?` in MySQL)
   */
  batches(select: string, size: number, values?: readonly unknown[]): AsyncIterable<TableRow[]>;
  /**
   * Returns whether the database sorts a column in the same order in which it compares the column with text values.
   * @param select a statement that selects only this column, sorts by it and returns no rows
   */
  orders(select: string): Promise<boolean>;
  /** Returns all rows of a SELECT. Rejects if there are more than 20,000. */
  rows(select: string, values: readonly unknown[]): Promise<TableRow[]>;
  /** Closes the connection. The current statement fails. */
  close(): void;
}

/**
 * Why a database cannot be read:
 * - `unreachable`: no connection could be established
 * - `refused`: the database did not accept the credentials
 * - `query`: the statement failed
 * - `protocol`: the response violates the protocol or exceeds a limit of time or size
 */
export type TableReadFailure = 'unreachable' | 'refused' | 'query' | 'protocol';

/** Thrown if a database cannot be read. The message contains no part of the DSN except the host. */
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
