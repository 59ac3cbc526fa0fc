import { Worker } from 'node:worker_threads';

export interface WatchdogLimits {
  memoryMegabytes: number;
  blockedMillis: number;
}

export interface WatchdogData extends WatchdogLimits {
  /** Process id of the service. */
  parent: number;
  /** A counter that the main thread raises. */
  turns: SharedArrayBuffer;
}

const TURN_MILLIS = 200;

/** Watches this process from a thread of its own, which an endless loop of the main thread does not stop. */
export function startWatchdog(limits: WatchdogLimits): void {
  const turns = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const counter = new Int32Array(turns);
  setInterval(() => Atomics.add(counter, 0, 1), TURN_MILLIS);
  const workerData: WatchdogData = { ...limits, parent: process.ppid, turns };
  const thread = new Worker(new URL('./watchdog-thread.js', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  });
  thread.unref();
}
