/** A time limit applies to each call separately. */
export interface SqlLimits {
  /** Time limit in milliseconds for connecting, including TLS and login. */
  connectMillis: number;
  /** Time limit in milliseconds for one statement, or for one batch of its rows. */
  statementMillis: number;
  maxBytes: number;
}

export const SQL_LIMITS: SqlLimits = {
  connectMillis: 10_000,
  statementMillis: 120_000,
  maxBytes: 192 * 1024 * 1024,
};

/** Maximum number of rows of a result that is read as a whole. */
export const MAX_ROWS = 20_000;
/** Postgres allows 1,664 and MySQL 4,096. */
export const MAX_COLUMNS = 4_096;
/** Maximum size of the rows of one response of the confined process, in characters of text and bytes of binary data. */
export const MAX_CHARACTERS = 128 * 1024 * 1024;
