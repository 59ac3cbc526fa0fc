import {
  assertSchemaCompatibility,
  type JobJson,
  type KeepJobs,
  type MinimalJob,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  type QueueBaseOptions,
} from 'bullmq';
import { HeardClient } from '@app/platform/database';

/** One connection (a pool, and a session that listens) for all queues and workers of one role in a process. */
export class SharedPostgresConnection extends PostgresConnection {
  private compatible = false;

  constructor(options: PostgresConnectionOptions) {
    super(options);
    // BullMQ makes its listening session with this, and listens for the session's errors a moment too late.
    Object.defineProperty(this, 'pgModule', { value: { Client: HeardClient } });
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

  end(): Promise<void> {
    return super.close();
  }
}

/** Job, id, delay by a rate limit, time of the next delayed job. */
const NOTHING_CLAIMED = [null, '', 0, 0];

/** BullMQ's bulk insert makes two temporary tables: 2.3 ms and 35 KB of WAL however few the jobs. Adding one by one costs less up to here. */
const ONE_BY_ONE_LIMIT = 40;

// The parameters of BullMQ's add_job: queue, id, name, data, options, priority, delay, timestamp, attempts, …, lifo.
const ADD_EACH = `
  SELECT add_job($1, NULL, ring->>'name', (ring->>'data')::jsonb, ring->'opts', 0, 0, (ring->>'timestamp')::bigint, 1,
                 NULL, NULL, NULL, NULL, NULL, false) AS id
  FROM jsonb_array_elements($2::jsonb) ring`;

/** BullMQ's Postgres backend, cheaper for small batches. */
export class PostgresDoorbellBackend extends PostgresQueueBackend {
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

  override async addJobs(entries: { job: JobJson; jobId: string }[]): Promise<string[]> {
    if (entries.length > ONE_BY_ONE_LIMIT) return super.addJobs(entries);
    await this.connection.waitUntilReady();
    const rings = entries.map(({ job: { name, data, opts, timestamp } }) => ({ name, data, opts, timestamp }));
    const { rows } = await this.connection.pool.query<{ id: string }>(ADD_EACH, [
      this.queueName,
      JSON.stringify(rings),
    ]);
    return rows.map((row) => row.id);
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
