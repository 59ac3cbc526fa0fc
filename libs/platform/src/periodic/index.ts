/** Work that a process repeats for as long as it lives. */
export { PeriodicTask, sharedAbortController } from './periodic-task.js';
export type { WorkerTask } from './worker-task.js';
export { CronTimes } from './cron-times.js';
export { type WorkerConfig, workerConfig } from './worker.config.js';
