import { invariant } from '@app/kernel';

/**
 * The definition of one kind of job. The publisher owns it (`<noun>.jobs.ts`), and the consumer imports it. A job tells
 * a worker that a row in Postgres may have work to do. It never contains the work.
 */
export interface Job<Payload extends object> {
  /** `noun.verb`, unique in the catalog. */
  readonly name: string;
  /** All jobs of a queue share the concurrency limit of the queue. */
  readonly queue: string;
  /** Only declares the type of the payload. Never set at run time. */
  readonly payloadType?: Payload;
}

/**
 * Type of a payload: a flat object with a few ids and numbers. It must contain no secrets, because the queue's store is
 * not encrypted.
 */
export type IdsOnly<Payload> = { readonly [Key in keyof Payload]: string | number };

/** All jobs that a worker process accepts. The app chooses the keys of this record. */
export type JobCatalog = Readonly<Record<string, Job<object>>>;

export type PayloadOf<Entry> = Entry extends Job<infer Payload> ? Payload : never;

/**
 * Processes one job. For one job, it may be called twice (even concurrently) or never. The processor must therefore ask
 * Postgres whether there is work to do. Its errors are logged and counted. The queue retries nothing.
 */
export type JobProcessor<Payload extends object> = (payload: Payload) => Promise<void>;

/** One processor for each job of the catalog. A missing processor is a compile error. */
export type JobProcessors<Catalog extends JobCatalog> = {
  readonly [Key in keyof Catalog]: JobProcessor<PayloadOf<Catalog[Key]>>;
};

const NAME = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/;
const QUEUE = /^[a-z][a-z0-9-]*$/;

/**
 * Defines a job: `defineJob<{ runId: string }>({ name: 'run.execute', queue: 'runs' })`.
 * @throws if the name is not `noun.verb` or the queue is not a plain lower-case word
 */
export function defineJob<Payload extends IdsOnly<Payload>>(job: { name: string; queue: string }): Job<Payload> {
  invariant(NAME.test(job.name), `the job name ${job.name} is a noun and a verb, for example run.execute`);
  invariant(QUEUE.test(job.queue), `the queue name ${job.queue} is a lower-case word`);
  return Object.freeze({ name: job.name, queue: job.queue });
}

export function isJobPayload(data: unknown): data is Readonly<Record<string, string | number>> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  return Object.values(data).every((value) => typeof value === 'string' || typeof value === 'number');
}
