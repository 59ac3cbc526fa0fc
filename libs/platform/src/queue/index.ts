/**
 * Only this folder uses BullMQ, which stores the jobs in Redis or in Postgres. A job may be lost at any moment. The
 * work itself is recorded in Postgres, and workers also find it there by polling.
 */
export { defineJob, type JobProcessor, type JobProcessors } from './job.js';
export { JobQueueService } from './job-queue.service.js';
export { JobWorker } from './job.worker.js';
export { migrateQueue } from './migrate-queue.js';
export { QueueModule } from './queue.module.js';
export { checkRedis } from './redis-status.js';
