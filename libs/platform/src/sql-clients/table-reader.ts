/** Values of types that are not listed here, such as JSON and arrays, become JSON text. */
export type TableCell = string | number | bigint | boolean | Date | Uint8Array | null;

export type TableRow = Readonly<Record<string, TableCell>>;

export interface TableReader {
  /**
   * If the rows are wide, batches are smaller.
   * @param values values of the placeholders `$1`, `$2` … (`?` in MySQL)
   */
  batches(select: string, size: number, values?: readonly unknown[]): AsyncIterable<TableRow[]>;
  /** @param select a statement that selects only this column, sorts by it and returns no rows */
  orders(select: string): Promise<boolean>;
  /** Rejects if there are more than 20,000. */
  rows(select: string, values: readonly unknown[]): Promise<TableRow[]>;
  /** The current statement fails. */
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

/** The message contains no part of the DSN except the host. */
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
