import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@app/kernel';
import { isolatedEnvironment } from '@app/platform/config';
import type { HostGuard } from '@app/platform/egress';
import { ConfinedProcess, type ConfinedProgram, ProcessEnded, SandboxFailure } from '@app/platform/sandbox';
import {
  SQL_CALL_FAILURES,
  type SqlAnswer,
  SqlCallError,
  type SqlCallFailure,
  type SqlConnection,
  type SqlOrder,
  type SqlReply,
} from './sql-call.js';
import { type SqlKind, sqlTarget } from './sql-target.js';
import { TableReadError } from './table-reader.js';

const PROGRAM: ConfinedProgram = {
  heapMegabytes: 512,
  memoryMegabytes: 1_024,
  blockedMillis: 10_000,
  program: fileURLToPath(new URL('./sql-process.js', import.meta.url)),
};
/**
 * The service waits longer than each time limit by this number of milliseconds, because the confined process may start
 * slowly.
 */
const GRACE_MILLIS = 15_000;

export interface SqlCallSettings {
  guard: HostGuard;
  signal: AbortSignal;
  /** If it returns false, the statement is not sent. */
  mayStart: () => boolean;
  /** Only tests set it, because they run from sources. */
  program?: Partial<ConfinedProgram>;
}

/**
 * Returns undefined if `mayStart` returned false.
 * @throws SqlCallError; EgressError if the guard blocks the host
 */
export async function callSql(
  kind: SqlKind,
  dsn: string,
  order: SqlOrder,
  { guard, signal, mayStart, program }: SqlCallSettings,
): Promise<SqlAnswer | undefined> {
  const { hostname, port } = targetOf(kind, dsn);
  const [address] = await guard.resolve(hostname, port);
  const connection: SqlConnection = { kind, dsn, address: address?.address ?? '', timeoutMs: order.timeoutMs };
  const confined = new ConfinedProcess({ ...PROGRAM, ...program, environment: isolatedEnvironment() });
  const end = (): void => confined.kill();
  signal.addEventListener('abort', end);
  try {
    await confined.call('connect', connection, order.timeoutMs + GRACE_MILLIS).catch(connectFailure);
    if (!mayStart()) return undefined;
    const reply = await confined
      .call<SqlReply>('execute', order, order.timeoutMs + GRACE_MILLIS)
      .catch((error: unknown) => statementFailure(error, hostname));
    return { ...reply, rows: JSON.parse(reply.rows) as JsonObject[] };
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function targetOf(kind: SqlKind, dsn: string): ReturnType<typeof sqlTarget> {
  try {
    return sqlTarget(kind, dsn);
  } catch (error) {
    if (error instanceof TableReadError) throw new SqlCallError('refused', error.message, { cause: error });
    throw error;
  }
}

function connectFailure(error: unknown): never {
  if (error instanceof ProcessEnded)
    throw new SqlCallError(error.reason === 'timeout' ? 'timeout' : 'unreachable', error.message, {
      wasNotSent: true,
      cause: error,
    });
  if (!(error instanceof SandboxFailure)) throw error;
  const { reason = '', sqlstate = '' } = error.details;
  const known = reason === 'refused' || reason === 'timeout' ? reason : 'unreachable';
  throw new SqlCallError(known, error.message, { sqlstate: String(sqlstate), wasNotSent: true, cause: error });
}

function statementFailure(error: unknown, hostname: string): never {
  if (error instanceof ProcessEnded) {
    const message = `The connection to ${hostname} was closed before the response was complete. ${error.message}`;
    throw new SqlCallError(error.reason === 'timeout' ? 'timeout' : 'lost', message, { cause: error });
  }
  if (!(error instanceof SandboxFailure)) throw error;
  const { reason, sqlstate = '', constraint = '' } = error.details;
  const known = SQL_CALL_FAILURES.find((each: SqlCallFailure) => each === reason) ?? 'lost';
  throw new SqlCallError(known, error.message, {
    sqlstate: String(sqlstate),
    constraint: String(constraint),
    cause: error,
  });
}
