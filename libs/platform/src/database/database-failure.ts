import { types } from 'node:util';
import { DomainError } from '@app/kernel';
import { DatabaseError } from 'pg';

const CAUSES = {
  '53100': {
    reason: 'database_disk_full',
    detail: 'The disk of the database server is full. Free space on it; the service then continues by itself.',
  },
  '25006': {
    reason: 'database_read_only',
    detail:
      'The database server is read-only, for example a standby after a failover. Set DATABASE_URL to the primary server.',
  },
  '26000': {
    reason: 'prepared_statements_lost',
    detail:
      'A connection pooler between the service and Postgres loses prepared statements. Restart the process (it then uses no prepared statements), or use PgBouncer 1.21 or later with max_prepared_statements above 0.',
  },
} as const;

type Cause = (typeof CAUSES)[keyof typeof CAUSES];

const READ_ONLY = CAUSES['25006'];
// They occur after a pooler has given the server connection to another client.
const LOST_STATEMENT = /^(26000|42P05)$/;

// Classes and codes of SQLSTATE (PostgreSQL manual, appendix A) after which a retry may succeed.
const TRANSIENT = /^(08|53|57|25006|26000|42P05|40001|40P01|55P03|25P03)/;
const UNIQUE_VIOLATION = '23505';
const TRANSIENT_SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
]);

/** The statement may have been committed, because the response to its COMMIT may have been lost. */
export function isTransientDatabaseFailure(error: unknown): boolean {
  if (!types.isNativeError(error) || error instanceof DomainError) return false;
  const code = codeOf(error);
  return (
    TRANSIENT.test(code) ||
    TRANSIENT_SYSTEM.has(code) ||
    /terminated|timeout expired|timeout exceeded when trying|query read timeout|not queryable/i.test(error.message)
  );
}

const QUERY_CANCELED = '57014';

/** Accepts the error of the driver and the DomainError that wraps it. */
export function isStatementTimeout(error: unknown): boolean {
  const failure = error instanceof DomainError ? error.cause : error;
  if (!types.isNativeError(failure)) return false;
  return codeOf(failure) === QUERY_CANCELED || /query read timeout/i.test(failure.message);
}

/** Whether a pooler has moved the connection to another server session, in which the statement is not prepared. */
export function isLostStatement(error: unknown): boolean {
  return types.isNativeError(error) && LOST_STATEMENT.test(codeOf(error));
}

export function namedCause(error: unknown): Cause | undefined {
  if (!types.isNativeError(error)) return undefined;
  if (isLostStatement(error)) return CAUSES['26000'];
  return (CAUSES as Readonly<Record<string, Cause>>)[codeOf(error)];
}

export const READ_ONLY_DETAIL: string = READ_ONLY.detail;

export function isRefusedWrite(error: unknown): boolean {
  return namedCause(error instanceof DomainError ? error.cause : error) === READ_ONLY;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

// SQLSTATEs for which the statement is not at fault: failures of the connection (08), the server (53, 25006) or a
// pooler (26000, 42P05), and cancelled statements (57).
const NOT_ABOUT_THE_STATEMENT = /^(08|53|57|25006|26000|42P05)/;

/** None of the changes of a refused statement remains. */
export function wasRefused(error: unknown): boolean {
  return error instanceof DatabaseError && !NOT_ABOUT_THE_STATEMENT.test(error.code ?? '08');
}

export function databaseFailure(error: unknown): unknown {
  if (!isTransientDatabaseFailure(error)) return error;
  const named = namedCause(error);
  const detail = named?.detail ?? 'The database is not available at the moment. Try again shortly.';
  return new DomainError('unavailable', detail, {
    cause: error,
    retryAfterSeconds: named ? 10 : 2,
    ...(named && { extensions: { reason: named.reason } }),
  });
}

export async function orUnavailable<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw databaseFailure(error);
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

export function isLockTimeoutOn(error: unknown, table: string): boolean {
  const failure = error instanceof DomainError ? error.cause : error;
  if (!types.isNativeError(failure) || !('code' in failure) || !('where' in failure)) return false;
  // The first line of `where` names the lock that the statement waited for; the rest is the call stack.
  const [doing = ''] = String(failure.where).split('\n');
  return failure.code === LOCK_NOT_AVAILABLE && inQuotes(table).test(doing);
}

/** The quotation marks depend on the language of the messages (`lc_messages`): "a", »a«, « a ». */
function inQuotes(name: string): RegExp {
  return new RegExp(`["\\p{Pi}\\p{Pf}]\\s?${name}\\s?["\\p{Pi}\\p{Pf}]`, 'u');
}

export async function isUnique(change: Promise<unknown>, constraint: string): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (isViolationOf(error, constraint)) return false;
    throw error;
  }
}

function isViolationOf(error: unknown, constraint: string): boolean {
  if (!types.isNativeError(error) || !('code' in error) || !('constraint' in error)) return false;
  return error.code === UNIQUE_VIOLATION && error.constraint === constraint;
}
