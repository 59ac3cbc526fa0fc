import { type Clock, errorText, systemClock } from '@app/kernel';
import type { ServiceEnv } from '@app/platform/config';
import { isTransientDatabaseFailure, probeSession, type SessionKind } from '@app/platform/database';
import type { Logger } from '@app/platform/observability';
import { WaitingServer } from './waiting-server.js';

export interface WaitingProcess {
  name: 'api' | 'worker';
  /** Where probes are answered meanwhile; port 0: nowhere. */
  host: string;
  port: number;
  logger: Pick<Logger, 'warn' | 'info'>;
  clock?: Clock;
}

const RETRY_MILLIS = 1_000;

/**
 * Resolves when Postgres answers, however long that takes. Meanwhile `/healthz` answers 200 and everything else 503 with the
 * cause. The result is the environment, without prepared statements where a pooler loses them.
 * @throws the driver's error when waiting does not help: a wrong password, or a database that does not exist
 */
export async function waitForDatabase(env: ServiceEnv, waiting: WaitingProcess): Promise<ServiceEnv> {
  const { logger, clock = systemClock } = waiting;
  let problem = '';
  let server: WaitingServer | undefined;
  try {
    for (;;) {
      const kind = await probe(env, waiting.name).catch((error: unknown) => {
        if (!isTransientDatabaseFailure(error)) throw error;
        problem = `Postgres does not answer: ${errorText(error)}`;
        logger.warn({ err: error }, 'the database is out of reach; waiting for it');
        return undefined;
      });
      if (kind) return settled(env, kind, logger);
      if (waiting.port !== 0) server ??= await WaitingServer.open(waiting.host, waiting.port, () => problem);
      await clock.sleep(RETRY_MILLIS);
    }
  } finally {
    await server?.close();
  }
}

function probe(env: ServiceEnv, name: string): Promise<SessionKind> {
  return probeSession({ url: env.databaseUrl, applicationName: `aas-${name}` });
}

function settled(env: ServiceEnv, { pooling, prepares }: SessionKind, logger: Pick<Logger, 'warn'>): ServiceEnv {
  if (pooling === 'transaction' && env.redisUrl === undefined) {
    logger.warn(
      'DATABASE_URL leads through a connection pooler in transaction mode, and the queue needs sessions: set REDIS_URL. Without it runs are found by polling only',
    );
  }
  if (prepares || !env.databasePrepares) return env;
  logger.warn(
    'the connection pooler loses prepared statements; none are used. Set DATABASE_PREPARED_STATEMENTS=false, or use PgBouncer 1.21 or later with max_prepared_statements = 200',
  );
  return Object.freeze({ ...env, databasePrepares: false });
}
