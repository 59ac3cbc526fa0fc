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

/** BullMQ's own pools set this search path; a pool that is passed to BullMQ must set it too. */
const IN_SCHEMA = '-c search_path=bullmq';

/**
 * One pool for all queues and workers of one role in a process. A consumer's listening session is one of the pool's.
 */
export class SharedPostgresConnection extends PostgresConnection {
  private compatible = false;
  private readonly sessions: ReturnType<typeof heardPool>;

  constructor({ options = '', ...config }: Parameters<typeof heardPool>[0]) {
    // BullMQ attaches the error listener of its listening session too late; these sessions have one from the start.
    const sessions = heardPool({ ...config, options: `${options} ${IN_SCHEMA}` });
    super(sessions);
    this.sessions = sessions;
  }

  /** BullMQ's implementation caches a failure for ever, also that of a database that was away at the start. */
  override async waitUntilReady(): Promise<void> {
    if (this.compatible) return;
    await assertSchemaCompatibility(this.pool, this.schema);
    this.compatible = true;
  }

  /** Called by each queue and worker when it closes; the connection outlives them until {@link end}. */
  override close(): Promise<void> {
    return Promise.resolve();
  }

  async end(): Promise<void> {
    await super.close();
    await this.sessions.end();
  }
}

/** Job, id, delay by a rate limit, time of the next delayed job. */
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
    // The connection is shared, but BullMQ reconnects a lost listening session only for owners.
    super(connection, queue, options, true);
  }

  /** Seconds. Without this limit an idle worker could miss jobs for an hour after its listening session was lost. */
  override get maximumBlockTimeout(): number {
    return 30;
  }

  override async moveToActive(token: string, name?: string): ReturnType<PostgresQueueBackend['moveToActive']> {
    return this.interrupted ? NOTHING_CLAIMED : this.claiming(super.moveToActive(token, name));
  }

  /** Ends one job and, with `fetchNext`, claims the next. */
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
   * claims under way have ended, which BullMQ does not await.
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
