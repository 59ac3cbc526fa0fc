import type { StorageAlarmService } from '@app/platform/database';

/** Passes messages of the parent process to the alarm. A process without an IPC channel to its parent receives none. */
export function receiveParentMessages(alarm: StorageAlarmService): void {
  if (process.channel === undefined) return;
  process.on('message', (message) => alarm.receive(message));
  // An open channel must not keep the process alive.
  process.channel.unref();
}
