/** Limits of one connection. Those of time cover one call each. */
export interface SqlLimits {
  /** Connecting, with TLS and login. */
  connectMillis: number;
  /** One statement, or one batch of its rows. */
  statementMillis: number;
  /** Bytes that the server sends for one call. */
  maxBytes: number;
}

export const SQL_LIMITS: SqlLimits = {
  connectMillis: 10_000,
  statementMillis: 120_000,
  maxBytes: 192 * 1024 * 1024,
};

/** Rows of an answer that is read whole. */
export const MOST_ROWS = 20_000;
/** Columns of a row. Postgres allows 1,664 and MySQL 4,096. */
export const MOST_COLUMNS = 4_096;
/** Characters and bytes of the rows of one answer to the service. */
export const MOST_CHARACTERS = 128 * 1024 * 1024;
