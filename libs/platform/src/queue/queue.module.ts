import { Global, Module } from '@nestjs/common';
import { type DatabaseConfig, databaseConfig } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { type RedisConfig, redisConfig } from '@app/platform/redis';
import { JobQueueService } from './job-queue.service.js';
import { JobWorker } from './job.worker.js';
import { openQueueConnection } from './open-queue-connection.js';
import { type QueueConnection, QUEUE_PUBLISHER } from './queue-connection.js';

function openPublisher(config: RedisConfig, { databaseUrl }: DatabaseConfig, logger: Logger): QueueConnection {
  const settings = { ...config, databaseUrl };
  // JobQueueService logs jobs that cannot be sent, so connection errors are logged at the debug level only.
  return openQueueConnection(settings, 'publisher', (err) =>
    logger.debug({ err }, 'queue: publisher connection failed'),
  );
}

/**
 * A {@link JobWorker} opens no connection before it is started, so a process that only enqueues jobs can also import
 * this module.
 */
@Global()
@Module({
  providers: [
    { provide: QUEUE_PUBLISHER, useFactory: openPublisher, inject: [redisConfig.KEY, databaseConfig.KEY, LOGGER] },
    JobQueueService,
    JobWorker,
  ],
  exports: [JobQueueService, JobWorker],
})
export class QueueModule {}
