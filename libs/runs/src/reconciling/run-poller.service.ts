import { Clock } from '@app/kernel';
import { DueWorkService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { RunExecutorService } from '../execution/run-executor.service.js';
import { DUE_RUNS } from './due-runs.js';

/** A run is therefore executed even if its job was lost or never enqueued. */
@Injectable()
export class RunPollerService extends PeriodicTask {
  constructor(executor: RunExecutorService, clock: Clock, dueWork: DueWorkService, @Inject(LOGGER) logger: Logger) {
    super(clock, {
      pause: dueWork.untilDue(DUE_RUNS),
      work: () => executor.takeDueRuns(),
      onError: (error) => logger.warn({ err: error }, 'runs: searching for due runs failed'),
    });
  }
}
