import { workerData } from 'node:worker_threads';
import type { WatchdogData } from './watchdog.js';

const LOOK_MILLIS = 100;

const { memoryMegabytes, blockedMillis, parent, turns } = workerData as WatchdogData;
const counter = new Int32Array(turns);
let seen = 0;
/** Looks in a row without a turn. Looks are counted, not time: a process that the machine does not schedule is not blocked. */
let looks = 0;

setInterval(() => {
  const now = Atomics.load(counter, 0);
  looks = now === seen ? looks + 1 : 0;
  seen = now;
  // The service has ended without this process being killed.
  if (process.ppid !== parent || looks * LOOK_MILLIS > blockedMillis) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > memoryMegabytes * 1024 * 1024) process.kill(process.pid, 'SIGABRT');
}, LOOK_MILLIS);
