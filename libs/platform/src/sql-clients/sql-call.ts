import type { JsonObject, JsonValue } from '@app/kernel';
import type { SqlKind } from './sql-target.js';
import type { TableReadError } from './table-reader.js';

export interface SqlOrder {
  text: string;
  values: readonly JsonValue[];
  /** Only MySQL uses them. */
  parameters: readonly { index: number; start: number; end: number }[];
  isRead: boolean;
  maxRows: number;
  maxCharacters: number;
  /** When it passes, the database server ends the statement. */
  timeoutMs: number;
}

export interface SqlConnection {
  kind: SqlKind;
  dsn: string;
  /** The process connects to no other address. */
  address: string;
  timeoutMs: number;
}

/** `rows` is the text of a JSON array of objects, because text is fast to copy between processes. */
export interface SqlReply {
  rows: string;
  rowCount: number;
  truncated: boolean;
}

export interface SqlAnswer {
  rows: JsonObject[];
  rowCount: number;
  truncated: boolean;
}

/**
 * Why a call failed:
 * - `unreachable`: no connection could be established
 * - `refused`: the database did not accept the credentials
 * - `statement`: the database rejected the statement, which had no effect
 * - `timeout`: a time limit passed
 * - `lost`: the connection broke, or the response violates the protocol or a limit
 */
export const SQL_CALL_FAILURES = ['unreachable', 'refused', 'statement', 'timeout', 'lost'] as const;
export type SqlCallFailure = (typeof SQL_CALL_FAILURES)[number];

/** All details of the error are plain fields, because only plain fields are copied between processes. */
export class SqlCallError extends Error {
  override readonly name = 'SqlCallError';
  readonly sqlstate: string;
  readonly constraint: string;
  readonly wasNotSent: boolean;

  constructor(
    readonly reason: SqlCallFailure,
    message: string,
    details: { sqlstate?: string; constraint?: string; wasNotSent?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.sqlstate = details.sqlstate ?? '';
    this.constraint = details.constraint ?? '';
    this.wasNotSent = details.wasNotSent ?? false;
  }
}

/** `code` is an SQLSTATE, or the code of a network error. */
export function notConnected({ reason, message, cause }: TableReadError, code = ''): SqlCallError {
  const sqlstate = /^[0-9A-Z]{5}$/.test(code) ? code : '';
  return new SqlCallError(reason === 'refused' ? 'refused' : 'unreachable', message, { sqlstate, cause });
}

export class CollectedRows {
  private readonly rows: string[] = [];
  private characters = 0;
  private isTruncated = false;

  constructor(private readonly order: Pick<SqlOrder, 'maxRows' | 'maxCharacters'>) {}

  get count(): number {
    return this.rows.length;
  }

  add(row: JsonObject): boolean {
    if (this.isTruncated) return false;
    const json = JSON.stringify(row);
    if (this.rows.length === this.order.maxRows || this.characters + json.length + 1 > this.order.maxCharacters) {
      this.isTruncated = true;
      return false;
    }
    this.rows.push(json);
    this.characters += json.length + 1;
    return true;
  }

  omitRest(): void {
    this.isTruncated = true;
  }

  reply(rowCount = this.rows.length): SqlReply {
    return { rows: `[${this.rows.join(',')}]`, rowCount, truncated: this.isTruncated };
  }
}

/**
 * If several columns have the same name, the last one keeps it, and the others get a number, such as `id_1`, so that no
 * value is lost.
 */
export function memberNames(columns: readonly string[]): string[] {
  const taken = new Set(columns);
  return columns.map((name, at) => {
    if (columns.lastIndexOf(name) === at) return name;
    let number = 1;
    while (taken.has(`${name}_${number}`)) number++;
    taken.add(`${name}_${number}`);
    return `${name}_${number}`;
  });
}

export function integerValue(text: string): JsonValue {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

export function floatValue(text: string): JsonValue {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}
