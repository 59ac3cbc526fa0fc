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

/** BullMQ's own pools look tables up in its schema; a pool that it is given has to do so as well. */
const IN_SCHEMA = '-c search_path=bullmq';

/** One pool for all queues and workers of one role in a process. A consumer's listening session is one of the pool's. */
export class SharedPostgresConnection extends PostgresConnection {
  private compatible = false;
  private readonly sessions: ReturnType<typeof heardPool>;

  constructor({ options = '', ...config }: Parameters<typeof heardPool>[0]) {
    // BullMQ listens for the errors of its listening session a moment too late; these sessions bear that.
    const sessions = heardPool({ ...config, options: `${options} ${IN_SCHEMA}` });
    super(sessions);
    this.sessions = sessions;
  }

  /** BullMQ's own remembers a failure for good, so a database that was away at the start would be away for ever. */
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
    // It is not the only owner, but only owners listen again after the listening session was lost.
    super(connection, queue, options, true);
  }

  /** Without this limit a lost listening session could leave an idle worker deaf for an hour. */
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
   * Ends the wait for a ring. BullMQ answers that with one more claim, which a worker that pauses must not make; and it
   * does not wait for the claims under way, after which nothing more is claimed.
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
