import { systemClock } from '@app/kernel';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Pool, type QueryResultRow } from 'pg';
import type { ConnectionSettings } from './data-source.js';
import { databaseFailure, isLostStatement, isTransientDatabaseFailure } from './database-failure.js';
import type { Statement } from './statements.js';

const CONNECTIONS = 2;
const TRIES = 3;
/** For how long a statement is tried: the embedded Postgres recovers from a full disk in less. */
const PATIENCE_MILLIS = 8_000;
const PAUSE_MILLIS = 200;
/** Milliseconds. Longer than those of the ordinary pool: what runs here has to get through, and little does. */
const LIMITS = {
  connectionTimeoutMillis: 3_000,
  lock_timeout: 5_000,
  statement_timeout: 15_000,
  query_timeout: 20_000,
} as const;

/**
 * Two connections beside the ordinary pool, kept open, for what must work when everything else is stuck: the emergency
 * stop. No connection is made before the first statement or {@link warmUp}.
 */
export class ReservedStatements implements OnApplicationShutdown {
  private readonly pool: Pool;
  private prepares: boolean;

  constructor({ url, applicationName, prepares = true }: ConnectionSettings) {
    this.prepares = prepares;
    this.pool = new Pool({
      connectionString: url,
      application_name: `${applicationName} reserve`,
      max: CONNECTIONS,
      // Kept for good: when they are needed the server may have no connection left to give.
      idleTimeoutMillis: 0,
      keepAlive: true,
      ...LIMITS,
    });
    // An idle connection that breaks is replaced by the next statement; without a listener it would end the process.
    this.pool.on('error', () => undefined);
  }

  /** Opens the connections while there is room for them. A database that is away is no error: they are opened later. */
  async warmUp(): Promise<void> {
    await Promise.allSettled(Array.from({ length: CONNECTIONS }, () => this.pool.query('select pg_backend_pid()')));
  }

  /**
   * The rows of one statement, committed by itself. A failure that may pass (a lock that is held for too long, a connection that
   * broke, a full disk whose reserve is about to be given up, a server that recovers) is answered with another try, so only
   * statements that may run twice belong here.
   * @throws DomainError `unavailable` when the third try has failed as well and the patience is over
   */
  async query<Row extends QueryResultRow>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    const began = systemClock.monotonicMillis();
    for (let tried = 1; ; tried++) {
      try {
        const prepared = this.prepares ? { name } : {};
        return (await this.pool.query<Row>({ ...prepared, text, values: [...values] })).rows;
      } catch (error) {
        const isOver = tried >= TRIES && systemClock.monotonicMillis() - began >= PATIENCE_MILLIS;
        if (isOver || !isTransientDatabaseFailure(error)) throw databaseFailure(error);
        if (isLostStatement(error)) this.prepares = false;
        if (tried >= TRIES) await systemClock.sleep(PAUSE_MILLIS);
      }
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
