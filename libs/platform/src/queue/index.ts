/**
 * The doorbell: publishers ring, workers answer. The only code that knows BullMQ and its two stores, Redis and Postgres.
 * Everything here may be lost at any moment. What has to be done is written in Postgres, and pollers find it there.
 */
export { defineJob, type JobProcessor, type JobProcessors } from './job.js';
export { JobQueueService } from './job-queue.service.js';
export { JobWorker } from './job.worker.js';
export { migrateQueue } from './migrate-queue.js';
export { QueueHealth } from './queue-health.js';
export { QueueModule } from './queue.module.js';
export { checkRedis } from './redis-status.js';
