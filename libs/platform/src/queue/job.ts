import { invariant } from '@app/kernel';

/**
 * The contract of one kind of job. Its publisher defines and owns it (`<noun>.jobs.ts`), the consumer imports it.
 * A job is a doorbell: it says that a row in Postgres may have work to do, never what the work is.
 */
export interface Job<Payload extends object> {
  /** `noun.verb`, unique in the catalog. */
  readonly name: string;
  /** Jobs of one queue share its workers' slots. */
  readonly queue: string;
  /** Never present at run time: it only carries the type. */
  readonly payloadType?: Payload;
}

/** What may travel: a few ids and numbers in a flat object. Whoever reads the queue's store can read it. */
export type IdsOnly<Payload> = { readonly [Key in keyof Payload]: string | number };

/** Every job that a worker process takes, under whatever keys its app finds readable. */
export type JobCatalog = Readonly<Record<string, Job<object>>>;

export type PayloadOf<Entry> = Entry extends Job<infer Payload> ? Payload : never;

/**
 * Does one job. It may be called twice for one ring, at the same time even, and not at all for another, so it has to ask
 * Postgres for permission before it acts. What it throws is logged and counted; nothing is retried.
 */
export type JobProcessor<Payload extends object> = (payload: Payload) => Promise<void>;

/** One processor for each job of the catalog: with one missing the worker does not compile. */
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
  invariant(NAME.test(job.name), `the job name ${job.name} is noun.verb`);
  invariant(QUEUE.test(job.queue), `the queue name ${job.queue} is a lower-case word`);
  return Object.freeze({ name: job.name, queue: job.queue });
}

/** Whether data that came out of a queue has the shape that every payload has. */
export function isJobPayload(data: unknown): data is Readonly<Record<string, string | number>> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  return Object.values(data).every((value) => typeof value === 'string' || typeof value === 'number');
}
