import { FileLinkTokensService } from './tools/file-link-tokens.service.js';
import { AgentsModule } from '@app/agents';
import { FilesModule } from '@app/files';
import { Clock, systemClock } from '@app/kernel';
import { MODEL_EGRESS, MODEL_EGRESS_PROVIDER } from '@app/platform/egress';
import { QueueModule } from '@app/platform/queue';
import { IdempotencyModule, PeopleModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApprovalDecisionsService } from './approvals/approval-decisions.service.js';
import { ApprovalStore } from './approvals/approval.store.js';
import { BulkActionResultEntity } from './bulk/bulk-action-result.entity.js';
import { BulkActionEntity } from './bulk/bulk-action.entity.js';
import { BulkActionStore } from './bulk/bulk-action.store.js';
import { BulkActionWorker } from './bulk/bulk-action.worker.js';
import { BulkActionsService } from './bulk/bulk-actions.service.js';
import { CallbackAddressesService } from './callbacks/callback-addresses.service.js';
import { CallbacksService } from './callbacks/callbacks.service.js';
import { CallbacksStore } from './callbacks/callbacks.store.js';
import { BudgetsService } from './calls/budgets.service.js';
import { RunChangesService } from './changes/run-changes.service.js';
import { ChildRunStore } from './children/child-run.store.js';
import { RunTextsService } from './live-view/run-texts.service.js';
import { RunWatcherService } from './live-view/run-watcher.service.js';
import { ModelChecksService } from './models/model-checks.service.js';
import { RunPrivaciesService } from './privacy/run-privacies.service.js';
import { ApprovalQueriesService } from './read/approval-queries.service.js';
import { ApprovalsRepository } from './read/approvals.repository.js';
import { RevealedRunsService } from './read/revealed-runs.service.js';
import { RunAgentsService } from './read/run-agents.service.js';
import { RunPlansService } from './read/run-plans.service.js';
import { RunQueriesService } from './read/run-queries.service.js';
import { RunsRepository } from './read/runs.repository.js';
import { TranscriptsRepository } from './read/transcripts.repository.js';
import { UsageQueriesService } from './read/usage-queries.service.js';
import { ApprovalEntity } from './records/approval.entity.js';
import { RunStepEntity } from './records/run-step.entity.js';
import { RunEntity } from './records/run.entity.js';
import { TurnMessagesEntity } from './records/turn-messages.entity.js';
import { RunReplaysService } from './replay/run-replays.service.js';
import { BackpressureService } from './start/backpressure.service.js';
import { InputFilesService } from './start/input-files.service.js';
import { NewRunsService } from './start/new-runs.service.js';
import { RunIntakeService } from './start/run-intake.service.js';
import { StateService } from './state/state.service.js';
import { StateStore } from './state/state.store.js';
import { ErrorGroupsService } from './statistics/error-groups.service.js';
import { RunStatisticsService } from './statistics/run-statistics.service.js';
import { RunStatisticsWorker } from './statistics/run-statistics.worker.js';
import { RunStore } from './store/run.store.js';
import { WorkerStore } from './store/worker.store.js';

const ENTITIES = [
  ApprovalEntity,
  BulkActionEntity,
  BulkActionResultEntity,
  RunEntity,
  RunStepEntity,
  TurnMessagesEntity,
];
const EXPORTED = [
  FileLinkTokensService,
  ApprovalDecisionsService,
  ApprovalQueriesService,
  ApprovalStore,
  BackpressureService,
  BudgetsService,
  BulkActionStore,
  BulkActionWorker,
  BulkActionsService,
  CallbackAddressesService,
  CallbacksService,
  ChildRunStore,
  InputFilesService,
  ModelChecksService,
  NewRunsService,
  RevealedRunsService,
  RunAgentsService,
  RunChangesService,
  RunIntakeService,
  RunPlansService,
  RunPrivaciesService,
  RunQueriesService,
  RunReplaysService,
  ErrorGroupsService,
  RunStatisticsService,
  RunStatisticsWorker,
  RunStore,
  RunTextsService,
  RunWatcherService,
  RunsRepository,
  StateService,
  StateStore,
  UsageQueriesService,
  WorkerStore,
];

/** {@link RunWorkerModule} executes them. */
@Module({
  imports: [
    AgentsModule,
    FilesModule,
    IdempotencyModule,
    PeopleModule,
    QueueModule,
    WorkspaceModule,
    TypeOrmModule.forFeature(ENTITIES),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    MODEL_EGRESS_PROVIDER,
    ...EXPORTED,
    ApprovalsRepository,
    CallbacksStore,
    TranscriptsRepository,
  ],
  exports: [...EXPORTED, MODEL_EGRESS],
})
export class RunsModule {}
