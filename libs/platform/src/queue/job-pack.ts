import type { QueuedJob } from './job-batcher.js';

const PACK = 'rings.pack';
const MOST_RINGS = 16;
/** Into so many jobs a burst is split at least, so that several workers get a share of it. */
const SHARES = 4;

/**
 * The jobs that carry the rings of a batch. Where a job costs as much as what it announces, as in Postgres, a burst leaves
 * in packs; few rings stay on their own, so that at low load each is taken by whichever worker is free.
 */
export function packJobs(rings: readonly QueuedJob[]): QueuedJob[] {
  const size = Math.min(MOST_RINGS, Math.ceil(rings.length / SHARES));
  if (size <= 1) return [...rings];
  const packs: QueuedJob[] = [];
  for (let from = 0; from < rings.length; from += size)
    packs.push({ name: PACK, payload: { rings: rings.slice(from, from + size) } });
  return packs;
}

/** The rings of a job; the inverse of `packRings`. What a payload looks like is not checked, it comes from outside. */
export function unpackJobs(name: string, data: unknown): { name: string; data: unknown }[] {
  if (name !== PACK) return [{ name, data }];
  const rings: unknown = typeof data === 'object' && data !== null && 'rings' in data ? data.rings : undefined;
  return Array.isArray(rings) ? rings.filter(isRing).map((ring) => ({ name: ring.name, data: ring.payload })) : [];
}

function isRing(value: unknown): value is { name: string; payload: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'payload' in value
  );
}
