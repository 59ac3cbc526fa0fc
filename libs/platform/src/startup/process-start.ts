import { setFlagsFromString } from 'node:v8';
import type { StorageAlarmService } from '@app/platform/database';

/** Percentage by which the heap may grow after a full garbage collection before V8 starts the next one. */
const GROWTH_PERCENT = 40;

/**
 * Limits the growth of the heap between full garbage collections. Call it at the start of a process. On a large
 * machine, V8 otherwise lets the heap grow up to fourfold. The garbage of a burst of runs would then stay in memory for
 * a long time.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/** Passes messages of the parent process to the storage alarm. Does nothing in a process without an IPC channel. */
export function receiveParentMessages(alarm: StorageAlarmService): void {
  if (process.channel === undefined) return;
  process.on('message', (message) => alarm.receive(message));
  // An open channel must not keep the process alive.
  process.channel.unref();
}
