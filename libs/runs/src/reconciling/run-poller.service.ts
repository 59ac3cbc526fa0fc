import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { RunExecutorService } from '../execution/run-executor.service.js';

/** A run is therefore executed even if its job was lost or never enqueued. */
@Injectable()
export class RunPollerService extends PeriodicTask {
  constructor(
    executor: RunExecutorService,
    clock: Clock,
    @Inject(workerConfig.KEY) config: WorkerConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(clock, {
      everyMillis: config.pollMillis,
      work: () => executor.takeDueRuns(),
      onError: (error) => logger.warn({ err: error }, 'runs: searching for due runs failed'),
    });
  }
}
