import type { StorageAlarm } from '@app/platform/database';

/** From now on messages of the process that started this one reach the alarm. Without such a process nothing happens. */
export function hearParent(alarm: StorageAlarm): void {
  if (process.channel === undefined) return;
  process.on('message', (message) => alarm.receive(message));
  // The channel alone is no reason to stay alive.
  process.channel.unref();
}
