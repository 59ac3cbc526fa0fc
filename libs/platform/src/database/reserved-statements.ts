import { systemClock } from '@app/kernel';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Pool, type QueryResultRow } from 'pg';
import type { ConnectionSettings } from './service-pool.js';
import { databaseFailure, isLostStatement, isTransientDatabaseFailure } from './database-failure.js';
import type { Statement } from './statements.js';

const CONNECTIONS = 2;
const TRIES = 3;
/** The embedded Postgres recovers from a full disk in less time. */
const RETRY_MILLIS = 8_000;
const PAUSE_MILLIS = 200;
/** They are longer than those of the ordinary pool, because these few statements must succeed. */
const LIMITS = {
  connectionTimeoutMillis: 3_000,
  lock_timeout: 5_000,
  statement_timeout: 15_000,
  query_timeout: 20_000,
} as const;

/**
 * The emergency stop uses them, because it must work even if all pooled connections are busy. The two connections open
 * at the first statement or at {@link warmUp}.
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
      // Idle connections stay open, because the server may have no free connection when they are needed.
      idleTimeoutMillis: 0,
      keepAlive: true,
      ...LIMITS,
    });
    // Without this listener, an error of an idle connection would end the process. The next statement opens a new
    // connection.
    this.pool.on('error', () => undefined);
  }

  /** If the database is unreachable, they open later. */
  async warmUp(): Promise<void> {
    await Promise.allSettled(Array.from({ length: CONNECTIONS }, () => this.pool.query('select pg_backend_pid()')));
  }

  /**
   * Retries temporary failures (a lock timeout, a broken connection, a full disk, a server that recovers), so the
   * statement must be safe to run twice.
   * @throws DomainError `unavailable` if the statement still fails after at least three attempts and at least eight
   * seconds
   */
  async query<Row extends QueryResultRow>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    const began = systemClock.monotonicMillis();
    for (let tried = 1; ; tried++) {
      try {
        const prepared = this.prepares ? { name } : {};
        return (await this.pool.query<Row>({ ...prepared, text, values: [...values] })).rows;
      } catch (error) {
        const isOver = tried >= TRIES && systemClock.monotonicMillis() - began >= RETRY_MILLIS;
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
