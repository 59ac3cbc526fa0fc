import { setFlagsFromString } from 'node:v8';
import type { StorageAlarmService } from '@app/platform/database';

/** Percent by which the heap may grow beyond what the last full collection left. */
const GROWTH_PERCENT = 40;

/**
 * Keeps the memory of this process near what it needs; call it at the start. On a large machine V8 lets the heap grow
 * up to fourfold before a full collection, so the garbage of a burst of runs would stay for a long time.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/** Passes messages of the parent process to the alarm. A process without an IPC channel to its parent receives none. */
export function receiveParentMessages(alarm: StorageAlarmService): void {
  if (process.channel === undefined) return;
  process.on('message', (message) => alarm.receive(message));
  // An open channel must not keep the process alive.
  process.channel.unref();
}
