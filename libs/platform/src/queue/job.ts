import { invariant } from '@app/kernel';

/** A job tells a worker that a row in Postgres may have work to do. It never contains the work. */
export interface Job<Payload extends object> {
  readonly name: string;
  readonly queue: string;
  /** Never set at run time. */
  readonly payloadType?: Payload;
}

/** It must contain no secrets, because the queue's store is not encrypted. */
export type IdsOnly<Payload> = { readonly [Key in keyof Payload]: string | number };

export type JobCatalog = Readonly<Record<string, Job<object>>>;

export type PayloadOf<Entry> = Entry extends Job<infer Payload> ? Payload : never;

/**
 * For one job, it may be called twice (even concurrently) or never. The processor must therefore ask Postgres whether
 * there is work to do. The queue retries nothing.
 */
export type JobProcessor<Payload extends object> = (payload: Payload) => Promise<void>;

/** A missing processor is a compile error. */
export type JobProcessors<Catalog extends JobCatalog> = {
  readonly [Key in keyof Catalog]: JobProcessor<PayloadOf<Catalog[Key]>>;
};

const NAME = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/;
const QUEUE = /^[a-z][a-z0-9-]*$/;

/** @throws if the name is not `noun.verb` or the queue is not a plain lower-case word */
export function defineJob<Payload extends IdsOnly<Payload>>(job: { name: string; queue: string }): Job<Payload> {
  invariant(NAME.test(job.name), `the job name ${job.name} is a noun and a verb, for example run.execute`);
  invariant(QUEUE.test(job.queue), `the queue name ${job.queue} is a lower-case word`);
  return Object.freeze({ name: job.name, queue: job.queue });
}

export function isJobPayload(data: unknown): data is Readonly<Record<string, string | number>> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  return Object.values(data).every((value) => typeof value === 'string' || typeof value === 'number');
}
