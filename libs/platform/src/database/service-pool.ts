import { type ClientBase, Pool } from 'pg';
import type { TenantOf } from './tenant-role.js';

export interface ConnectionSettings {
  url: string;
  poolSize: number;
  /**
   * If false, statements have no names. Required for poolers that do not support named statements (PgBouncer before
   * 1.21). Default true.
   */
  prepares?: boolean;
  applicationName: string;
  /** If set, repositories see only the rows of the workspace whose id this function returns. */
  tenantOf?: TenantOf;
}

export const STATEMENT_LIMITS = {
  statementMillis: 4_000,
  /**
   * It is longer than `statementMillis`, so that a reachable server ends the statement first and reports the timeout.
   */
  answerMillis: 4_400,
} as const;

/** Time in milliseconds within which a connection must open. */
export const CONNECT_MILLIS = 4_000;

const LIMITS = {
  statement_timeout: STATEMENT_LIMITS.statementMillis,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 5_000,
  keepAlive: true,
  onConnect: outliveSession,
} as const;

/** An error that arrives before TypeORM attaches its own listener would otherwise end the process. */
function outliveSession(connection: ClientBase): void {
  connection.on('error', () => undefined);
}

export function connectionOf({ tenantOf }: ConnectionSettings): object {
  return { ...LIMITS, pipeline: tenantOf !== undefined };
}

/** Opens the ordinary pool of a thread that uses no repositories. It has the time limits of every other pool. */
export function servicePool(settings: ConnectionSettings): Pool {
  const pool = new Pool({
    connectionString: settings.url,
    application_name: settings.applicationName,
    max: settings.poolSize,
    connectionTimeoutMillis: CONNECT_MILLIS,
    ...connectionOf(settings),
    query_timeout: STATEMENT_LIMITS.answerMillis,
  });
  // Without this listener, an error of an idle connection would end the process.
  pool.on('error', () => undefined);
  return pool;
}
