import { setFlagsFromString } from 'node:v8';
import type { StorageAlarmService } from '@app/platform/database';

/** Percentage by which the heap may grow after a full garbage collection before the next one. */
const GROWTH_PERCENT = 40;

/**
 * Keeps the memory of this process close to what it needs. Call it at the start. On a large machine V8 lets the heap
 * grow up to fourfold before a full garbage collection, so the garbage of a burst of runs would remain for a long time.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/** Passes messages of the parent process to the alarm. A process without an IPC channel receives no messages. */
export function receiveParentMessages(alarm: StorageAlarmService): void {
  if (process.channel === undefined) return;
  process.on('message', (message) => alarm.receive(message));
  // An open channel must not keep the process alive.
  process.channel.unref();
}
