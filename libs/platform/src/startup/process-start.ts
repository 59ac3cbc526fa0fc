import { setFlagsFromString } from 'node:v8';
import {
  type StorageAlarmService,
  isTransientDatabaseFailure,
  probeSession,
  type SessionKind,
} from '@app/platform/database';
import { type Clock, errorText, systemClock } from '@app/kernel';
import type { Logger } from '@app/platform/observability';
import { WaitingServer } from './waiting-server.js';

/** Percentage by which the heap may grow after a full garbage collection before V8 starts the next one. */
const GROWTH_PERCENT = 40;

/**
 * On a large machine, V8 otherwise lets the heap grow up to fourfold. The garbage of a burst of runs would then stay in
 * memory for a long time.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/** Does nothing in a process without an IPC channel. */
export function receiveParentMessages(alarm: StorageAlarmService): void {
  if (process.channel === undefined) return;
  process.on('message', (message) => alarm.receive(message));
  process.channel.unref();
}

export interface WaitingProcess {
  name: 'api' | 'worker';
  databaseUrl: string;
  /** If undefined, the queue is in the database. */
  redisUrl: string | undefined;
  /** Address at which the process responds to health probes while it waits for the database. */
  host: string;
  /** If 0, the process does not respond to probes while it waits. */
  port: number;
  logger: Pick<Logger, 'warn' | 'info'>;
  clock?: Clock;
}

const RETRY_MILLIS = 1_000;

/**
 * Waits until Postgres responds, without a time limit. Until then, `/healthz` responds with 200 and every other path
 * with 503 and the cause. If `prepares` in the result is false, the process must not use prepared statements, because a
 * connection pooler would lose them.
 */
export async function waitForDatabase(waiting: WaitingProcess): Promise<{ prepares: boolean }> {
  const { logger, clock = systemClock } = waiting;
  let problem = '';
  let server: WaitingServer | undefined;
  try {
    for (;;) {
      const kind = await probe(waiting).catch((error: unknown) => {
        if (!isTransientDatabaseFailure(error)) throw error;
        problem = `Postgres does not respond: ${errorText(error)}`;
        logger.warn({ err: error }, 'startup: Postgres does not respond; retrying');
        return undefined;
      });
      if (kind) {
        warnOfPooler(kind, waiting);
        return { prepares: kind.prepares };
      }
      if (waiting.port !== 0) server ??= await WaitingServer.open(waiting.host, waiting.port, () => problem);
      await clock.sleep(RETRY_MILLIS);
    }
  } finally {
    await server?.close();
  }
}

function probe({ databaseUrl, name }: WaitingProcess): Promise<SessionKind> {
  return probeSession({ url: databaseUrl, applicationName: `aas-${name}` });
}

function warnOfPooler({ pooling, prepares, limits }: SessionKind, { logger, redisUrl }: WaitingProcess): void {
  if (pooling === 'transaction' && redisUrl === undefined) {
    logger.warn(
      'startup: DATABASE_URL names a connection pooler in transaction mode, but the queue needs sessions: set REDIS_URL. Until then, workers find runs only by polling',
    );
  }
  if (!limits) {
    logger.warn(
      "startup: the connection pooler ignores statement_timeout, so statements have no time limit on the server: alter role <role> set statement_timeout = '4s', and reconnect the pooler",
    );
  }
  if (prepares) return;
  logger.warn(
    'startup: the connection pooler loses prepared statements, so this process uses none: use PgBouncer 1.21 or later with max_prepared_statements = 200',
  );
}
