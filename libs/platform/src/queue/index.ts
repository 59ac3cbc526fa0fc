/**
 * The job queue: the only code that uses BullMQ and its two stores, Redis and Postgres. Any job may be lost at any
 * moment. The work itself is recorded in Postgres, where the workers also find it by polling.
 */
export { defineJob, type JobProcessor, type JobProcessors } from './job.js';
export { JobQueueService } from './job-queue.service.js';
export { JobWorker } from './job.worker.js';
export { migrateQueue } from './migrate-queue.js';
export { QueueModule } from './queue.module.js';
export { checkRedis } from './redis-status.js';
