import { invariant } from '@app/kernel';

/**
 * The contract of one kind of job. Its publisher defines and owns it (`<noun>.jobs.ts`), the consumer imports it.
 * A job says that a row in Postgres may have work to do. It never contains the work.
 */
export interface Job<Payload extends object> {
  /** `noun.verb`, unique in the catalog. */
  readonly name: string;
  /** Jobs of one queue share its concurrency limit. */
  readonly queue: string;
  /** Never present at run time: it only carries the type. */
  readonly payloadType?: Payload;
}

/** A payload: a few ids and numbers in a flat object. No secrets: the queue's store is not encrypted. */
export type IdsOnly<Payload> = { readonly [Key in keyof Payload]: string | number };

/** Every job that a worker process takes. The app chooses the keys. */
export type JobCatalog = Readonly<Record<string, Job<object>>>;

export type PayloadOf<Entry> = Entry extends Job<infer Payload> ? Payload : never;

/**
 * Processes one job. It may be called twice for one job, even at the same time, or never, so Postgres must decide
 * whether it may act. Its errors are logged and counted; the queue retries nothing.
 */
export type JobProcessor<Payload extends object> = (payload: Payload) => Promise<void>;

/** One processor for each job of the catalog: the worker does not compile if one is missing. */
export type JobProcessors<Catalog extends JobCatalog> = {
  readonly [Key in keyof Catalog]: JobProcessor<PayloadOf<Catalog[Key]>>;
};

const NAME = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/;
const QUEUE = /^[a-z][a-z0-9-]*$/;

/**
 * Defines a job: `defineJob<{ runId: string }>({ name: 'run.execute', queue: 'runs' })`.
 * Throws when the name is not `noun.verb` or the queue not a plain lower-case word.
 */
export function defineJob<Payload extends IdsOnly<Payload>>(job: { name: string; queue: string }): Job<Payload> {
  invariant(NAME.test(job.name), `the job name ${job.name} is a noun and a verb, for example run.execute`);
  invariant(QUEUE.test(job.queue), `the queue name ${job.queue} is a lower-case word`);
  return Object.freeze({ name: job.name, queue: job.queue });
}

/** Whether data from a queue has the shape of a payload. */
export function isJobPayload(data: unknown): data is Readonly<Record<string, string | number>> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  return Object.values(data).every((value) => typeof value === 'string' || typeof value === 'number');
}
