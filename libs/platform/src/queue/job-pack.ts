import type { QueuedJob } from './job-batcher.js';

const PACK = 'rings.pack';
const MOST_JOBS = 16;
/** A burst is split into at least this many packs, so that several workers get a share of it. */
const SHARES = 4;

/**
 * Packs the jobs of a burst into fewer jobs, because each job costs Postgres several writes. Few jobs stay separate, so
 * that each free worker takes one. The names of a pack and its member are read by workers of other releases.
 */
export function packJobs(jobs: readonly QueuedJob[]): QueuedJob[] {
  const size = Math.min(MOST_JOBS, Math.ceil(jobs.length / SHARES));
  if (size <= 1) return [...jobs];
  const packs: QueuedJob[] = [];
  for (let from = 0; from < jobs.length; from += size)
    packs.push({ name: PACK, payload: { rings: jobs.slice(from, from + size) } });
  return packs;
}

/** The inverse of `packJobs`. The payloads come from outside and are not checked. */
export function unpackJobs(name: string, data: unknown): { name: string; data: unknown }[] {
  if (name !== PACK) return [{ name, data }];
  const jobs: unknown = typeof data === 'object' && data !== null && 'rings' in data ? data.rings : undefined;
  return Array.isArray(jobs) ? jobs.filter(isJob).map((job) => ({ name: job.name, data: job.payload })) : [];
}

function isJob(value: unknown): value is { name: string; payload: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'payload' in value
  );
}
