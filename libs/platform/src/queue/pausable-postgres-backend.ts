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

/** BullMQ sets this search path in its own pools. A pool that is passed to BullMQ must set it too. */
const IN_SCHEMA = '-c search_path=bullmq';

/** Consumers also use sessions of this pool to listen for notifications. */
export class SharedPostgresConnection extends PostgresConnection {
  private compatible = false;
  private readonly sessions: ReturnType<typeof heardPool>;

  constructor({ options = '', ...config }: Parameters<typeof heardPool>[0]) {
    // BullMQ attaches an error listener to its listening session too late. The sessions of this pool have an error
    // listener from the start.
    const sessions = heardPool({ ...config, options: `${options} ${IN_SCHEMA}` });
    super(sessions);
    this.sessions = sessions;
  }

  /**
   * If the database were unavailable at the first check, the original method of BullMQ would report the failure
   * forever.
   */
  override async waitUntilReady(): Promise<void> {
    if (this.compatible) return;
    await assertSchemaCompatibility(this.pool, this.schema);
    this.compatible = true;
  }

  /**
   * Each queue or worker calls this method when it closes, but other queues and workers may still use the connection.
   */
  override close(): Promise<void> {
    return Promise.resolve();
  }

  async end(): Promise<void> {
    await super.close();
    await this.sessions.end();
  }
}

const NOTHING_CLAIMED = [null, '', 0, 0];

export class PausablePostgresBackend extends PostgresQueueBackend {
  private interrupted = false;
  private readonly claims = new Set<Promise<unknown>>();

  constructor(
    connection: SharedPostgresConnection,
    queue: string,
    options: QueueBaseOptions<PostgresConnectionOptions>,
  ) {
    // The last argument of `super` declares that the backend owns the connection, although the connection is shared.
    // If the argument were false, BullMQ would not reconnect a lost listening session.
    super(connection, queue, options, true);
  }

  /** With the default of BullMQ, the worker could miss jobs for an hour after its listening session was lost. */
  override get maximumBlockTimeout(): number {
    return 30;
  }

  override async moveToActive(token: string, name?: string): ReturnType<PostgresQueueBackend['moveToActive']> {
    return this.interrupted ? NOTHING_CLAIMED : this.claiming(super.moveToActive(token, name));
  }

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
   * After the wait, BullMQ tries to claim one more job; `interrupted` prevents this claim. Also waits for claims in
   * progress, because BullMQ does not wait for them.
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
