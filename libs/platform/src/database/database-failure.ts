import { types } from 'node:util';
import { DomainError } from '@app/kernel';
import { DatabaseError } from 'pg';

// Classes and codes of SQLSTATE (PostgreSQL manual, appendix A) after which the same call may well succeed.
const TRANSIENT = /^(08|53|57|40001|40P01|55P03|25P03)/;
const UNIQUE_VIOLATION = '23505';
const TRANSIENT_SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH']);

/**
 * Whether the failure is the database being away, overloaded or busy, and not a mistake in the statement.
 * The effect of the statement is then unknown: its COMMIT may have been lost on the way back.
 */
export function isTransientDatabaseFailure(error: unknown): boolean {
  if (!types.isNativeError(error) || error instanceof DomainError) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    TRANSIENT.test(code) ||
    TRANSIENT_SYSTEM.has(code) ||
    /terminated|timeout exceeded when trying|query read timeout|not queryable/i.test(error.message)
  );
}

// Of a connection (08), of the server's resources (53) and of whoever ended or cancelled the statement (57).
const NOT_ABOUT_THE_STATEMENT = /^(08|53|57)/;

/** Whether Postgres has refused the statement and says so itself: what it had done so far is rolled back. */
export function wasRefused(error: unknown): boolean {
  return error instanceof DatabaseError && !NOT_ABOUT_THE_STATEMENT.test(error.code ?? '08');
}

/** Turns a failure of the driver into `unavailable` where trying again helps; anything else stays what it is. */
export function databaseFailure(error: unknown): unknown {
  if (!isTransientDatabaseFailure(error)) return error;
  return new DomainError('unavailable', 'The database is not available at the moment. Try again shortly.', {
    cause: error,
    retryAfterSeconds: 2,
  });
}

/** The answer of a query, with its failure turned by {@link databaseFailure}. For what does not run through `Statements` or `Transactions`. */
export async function orUnavailable<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw databaseFailure(error);
  }
}

// SQLSTATE: a lock was not given up in time.
const LOCK_NOT_AVAILABLE = '55P03';

/** Whether a statement has waited too long for somebody else's row of this table. Takes what the driver threw and what was made of it. */
export function waitedInVainFor(error: unknown, table: string): boolean {
  const failure = error instanceof DomainError ? error.cause : error;
  if (!types.isNativeError(failure) || !('code' in failure) || !('where' in failure)) return false;
  // Other locks are waited for on the same way: what Postgres was doing just then begins its report of where it was.
  const [doing = ''] = String(failure.where).split('\n');
  return failure.code === LOCK_NOT_AVAILABLE && inQuotes(table).test(doing);
}

/** Postgres speaks the language of its server (`lc_messages`), and quotes names as that does: "a", »a«, « a ». */
function inQuotes(name: string): RegExp {
  return new RegExp(`["\\p{Pi}\\p{Pf}]\\s?${name}\\s?["\\p{Pi}\\p{Pf}]`, 'u');
}

/** True once the change is made; false where it breaks the unique constraint or index of this name. Any other failure is thrown. */
export async function isUnique(change: Promise<unknown>, constraint: string): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (isViolationOf(error, constraint)) return false;
    throw error;
  }
}

/** TypeORM copies the fields of what the driver threw. */
function isViolationOf(error: unknown, constraint: string): boolean {
  if (!types.isNativeError(error) || !('code' in error) || !('constraint' in error)) return false;
  return error.code === UNIQUE_VIOLATION && error.constraint === constraint;
}
