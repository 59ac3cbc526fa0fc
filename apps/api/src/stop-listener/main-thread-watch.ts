const HEARTBEAT_MILLIS = 100;
const NANOS_PER_MILLI = 1_000_000n;

/** Creates memory that both threads share. It contains the monotonic time at which the main thread last ran. */
export function newHeartbeat(): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  recordHeartbeat(shared);
  return shared;
}

/** Records regularly that the event loop of this thread runs. Returns a function that ends the recording. */
export function startHeartbeat(shared: SharedArrayBuffer): () => void {
  const timer = setInterval(() => recordHeartbeat(shared), HEARTBEAT_MILLIS).unref();
  return () => clearInterval(timer);
}

function recordHeartbeat(shared: SharedArrayBuffer): void {
  Atomics.store(new BigInt64Array(shared), 0, process.hrtime.bigint());
}

/** Measures for how long the event loop of the main thread has been blocked. */
export class MainThreadWatch {
  private readonly lastRan: BigInt64Array;

  constructor(shared: SharedArrayBuffer) {
    this.lastRan = new BigInt64Array(shared);
  }

  /** Returns for how many milliseconds the heartbeat of the main thread is overdue, or 0 while the main thread runs. */
  stalledMillis(): number {
    const since = Number((process.hrtime.bigint() - Atomics.load(this.lastRan, 0)) / NANOS_PER_MILLI);
    return Math.max(0, since - HEARTBEAT_MILLIS);
  }

  /** Resolves when the main thread has not run for `millis`, or when `signal` aborts. */
  async stalledFor(millis: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (signal.aborted || this.stalledMillis() >= millis) {
          clearInterval(timer);
          resolve();
        }
      };
      const timer = setInterval(look, HEARTBEAT_MILLIS);
    });
  }
}
