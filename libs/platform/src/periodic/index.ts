export { PeriodicTask, sharedAbortController, type WorkerTask } from './periodic-task.js';
export { CronTimes } from './cron-times.js';
export { type WorkerConfig, workerConfig } from './worker.config.js';
