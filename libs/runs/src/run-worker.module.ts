import { AgentsModule } from '@app/agents';
import { FilesModule } from '@app/files';
import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { SecretsModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { ActiveRunsService } from './execution/active-runs.service.js';
import { CodeStepsService } from './execution/code-steps.service.js';
import { OutboundCallsService } from './execution/outbound-calls.service.js';
import { RunAttemptsService } from './execution/run-attempts.service.js';
import { RunClaimsService } from './execution/run-claims.service.js';
import { RunExecutorService } from './execution/run-executor.service.js';
import { RunSignalsService } from './execution/run-signals.service.js';
import { RunTelemetryService } from './execution/run-telemetry.service.js';
import { WorkerLeaseService } from './execution/worker-lease.service.js';
import { ModelTurnsService } from './models/model-turns.service.js';
import { ShownFilesService } from './models/shown-files.service.js';
import { RunPollerService } from './reconciling/run-poller.service.js';
import { RunRecoveryService } from './reconciling/run-recovery.service.js';
import { RunSweeperService } from './reconciling/run-sweeper.service.js';
import { SuspendedRunsService } from './reconciling/suspended-runs.service.js';
import { WorkerLifecycleService } from './reconciling/worker-lifecycle.service.js';
import { RetentionRepository } from './retention/retention.repository.js';
import { RunRetentionService } from './retention/run-retention.service.js';
import { RunsModule } from './runs.module.js';
import { ToolsModule } from './tools.module.js';

@Module({
  imports: [AgentsModule, FilesModule, QueueModule, RunsModule, SecretsModule, ToolsModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    ActiveRunsService,
    CodeStepsService,
    ModelTurnsService,
    OutboundCallsService,
    RetentionRepository,
    RunAttemptsService,
    RunClaimsService,
    RunExecutorService,
    RunPollerService,
    RunRecoveryService,
    RunRetentionService,
    RunSignalsService,
    RunSweeperService,
    RunTelemetryService,
    ShownFilesService,
    SuspendedRunsService,
    WorkerLeaseService,
    WorkerLifecycleService,
  ],
  exports: [
    ToolsModule,
    ActiveRunsService,
    RunExecutorService,
    RunRetentionService,
    RunSignalsService,
    WorkerLeaseService,
    WorkerLifecycleService,
  ],
})
export class RunWorkerModule {}
