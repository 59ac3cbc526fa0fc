import type { OnApplicationShutdown } from '@nestjs/common';
import { Pool, type QueryResultRow } from 'pg';
import type { ConnectionSettings } from './data-source.js';
import { databaseFailure, isTransientDatabaseFailure } from './database-failure.js';
import type { Statement } from './statements.js';

const CONNECTIONS = 2;
const TRIES = 3;
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

  private readonly prepares: boolean;

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
   * The rows of one statement, committed by itself. A failure that may pass (a lock that somebody held for too long, a
   * connection that broke) is answered by trying again, so only statements that may run twice belong here.
   * @throws DomainError `unavailable` when the third try failed as well
   */
  async query<Row extends QueryResultRow>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    for (let tried = 1; ; tried++) {
      try {
        const prepared = this.prepares ? { name } : {};
        return (await this.pool.query<Row>({ ...prepared, text, values: [...values] })).rows;
      } catch (error) {
        if (tried === TRIES || !isTransientDatabaseFailure(error)) throw databaseFailure(error);
      }
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
