/**
 * The options of every ring. BullMQ is used as a doorbell and for nothing else: no job ids (a reused one swallows the
 * ring), no deduplication (its keys can outlive an outage), no delay (it trusts this machine's clock), no retries.
 */
export const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** Nobody reads BullMQ's event stream, so it is kept as short as BullMQ allows. */
export const STREAM_OPTIONS = { events: { maxLen: 1 } } as const;

/**
 * How every consumer treats the jobs it took. A job's result is never read and the right to act is decided in Postgres,
 * so the lock is no more than a label that a dead worker leaves behind: it is not renewed, and once it is an hour old the
 * job is thrown away instead of being run a second time (`maxStalledCount` 0).
 */
export const CONSUMER_OPTIONS = {
  lockDuration: 3_600_000,
  skipLockRenewal: true,
  stalledInterval: 300_000,
  maxStalledCount: 0,
  // How long BullMQ waits before it tries a store again that refused the connection; its default is 15 s.
  runRetryDelay: 1_000,
} as const;
