import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ChildRunsModule } from '../children/child-runs.module.js';
import { RunExecutionModule } from '../execution/run-execution.module.js';
import { RunStartModule } from '../start/run-start.module.js';
import { RunStoreModule } from '../store/run-store.module.js';
import { SuspendedRunsService } from './suspended-runs.service.js';
import { RunRecoveryService } from './run-recovery.service.js';
import { RunPollerService } from './run-poller.service.js';
import { RunSweeperService } from './run-sweeper.service.js';
import { WorkerLifecycleService } from './worker-lifecycle.service.js';

@Module({
  imports: [ApprovalsModule, ChildRunsModule, QueueModule, RunExecutionModule, RunStartModule, RunStoreModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    SuspendedRunsService,
    RunRecoveryService,
    RunPollerService,
    RunSweeperService,
    WorkerLifecycleService,
  ],
  exports: [RunExecutionModule, WorkerLifecycleService],
})
export class RunReconcilingModule {}
