import {
  assertSchemaCompatibility,
  type KeepJobs,
  type MinimalJob,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  type QueueBaseOptions,
} from 'bullmq';
import { heardPool } from '@app/platform/database';

/** BullMQ's own pools set this search path. A pool that is passed to BullMQ must set it too. */
const IN_SCHEMA = '-c search_path=bullmq';

/**
 * One pool for all queues and workers of one role in a process. The session in which a consumer listens is part of the
 * pool.
 */
export class SharedPostgresConnection extends PostgresConnection {
  private compatible = false;
  private readonly sessions: ReturnType<typeof heardPool>;

  constructor({ options = '', ...config }: Parameters<typeof heardPool>[0]) {
    // BullMQ attaches an error listener to its listening session too late. These sessions have a listener from the
    // start.
    const sessions = heardPool({ ...config, options: `${options} ${IN_SCHEMA}` });
    super(sessions);
    this.sessions = sessions;
  }

  /** BullMQ's implementation caches a failure for ever, even if the database was only unavailable at the start. */
  override async waitUntilReady(): Promise<void> {
    if (this.compatible) return;
    await assertSchemaCompatibility(this.pool, this.schema);
    this.compatible = true;
  }

  /** Each queue and worker calls this when it closes. The connection stays open until {@link end} is called. */
  override close(): Promise<void> {
    return Promise.resolve();
  }

  async end(): Promise<void> {
    await super.close();
    await this.sessions.end();
  }
}

/** The job, its id, the delay by a rate limit, and the time of the next delayed job. */
const NOTHING_CLAIMED = [null, '', 0, 0];

/** BullMQ's Postgres backend, which stops claiming when its worker pauses. */
export class PausablePostgresBackend extends PostgresQueueBackend {
  private interrupted = false;
  private readonly claims = new Set<Promise<unknown>>();

  constructor(
    connection: SharedPostgresConnection,
    queue: string,
    options: QueueBaseOptions<PostgresConnectionOptions>,
  ) {
    // The connection is shared. BullMQ reconnects a lost listening session only if the backend owns the connection.
    super(connection, queue, options, true);
  }

  /**
   * Time limit in seconds. Without it, an idle worker could miss jobs for an hour after its listening session was lost.
   */
  override get maximumBlockTimeout(): number {
    return 30;
  }

  override async moveToActive(token: string, name?: string): ReturnType<PostgresQueueBackend['moveToActive']> {
    return this.interrupted ? NOTHING_CLAIMED : this.claiming(super.moveToActive(token, name));
  }

  /** Completes one job and, with `fetchNext`, claims the next one. */
  override moveToCompleted<T, R, N extends string>(
    job: MinimalJob<T, R, N>,
    result: R,
    keep: boolean | number | KeepJobs,
    token: string,
    fetchNext: boolean,
  ): ReturnType<PostgresQueueBackend['moveToCompleted']> {
    return this.claiming(super.moveToCompleted(job, result, keep, token, fetchNext));
  }

  /**
   * Ends the wait for a job. BullMQ would then claim once more, which a paused worker must not do. Resolves when the
   * current claims have ended, because BullMQ does not wait for them.
   */
  override async disconnectBlocking(): Promise<void> {
    this.interrupted = true;
    await super.disconnectBlocking();
    await Promise.allSettled(this.claims);
  }

  override async reconnectBlocking(): Promise<void> {
    this.interrupted = false;
    await super.reconnectBlocking();
  }

  private claiming<T>(claim: Promise<T>): Promise<T> {
    const done = () => void this.claims.delete(claim);
    this.claims.add(claim);
    claim.then(done, done);
    return claim;
  }
}
