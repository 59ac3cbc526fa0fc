import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { RunExecutorService } from '../execution/run-executor.service.js';

/** A run is therefore executed even if its job was lost or never enqueued. */
@Injectable()
export class RunPollerService {
  private readonly polling: PeriodicTask;

  constructor(
    executor: RunExecutorService,
    clock: Clock,
    @Inject(workerConfig.KEY) config: WorkerConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.polling = new PeriodicTask(clock, {
      everyMillis: config.pollMillis,
      work: () => executor.takeDueRuns(),
      onError: (error) => logger.warn({ err: error }, 'runs: searching for due runs failed'),
    });
  }

  start(): void {
    this.polling.start();
  }

  stop(): Promise<void> {
    return this.polling.stop();
  }
}
