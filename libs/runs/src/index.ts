/** README.md explains the folders and their order. */
export { readAnswer } from './interpreter/prompt.js';
export { FILE_REASONS, FILE_SHOWN } from './records/file-shown.js';
export { inputMessage, type Prompt } from './interpreter/prompt.js';
export { WORK_PER_TURN } from './interpreter/work-meter.js';
export { BudgetsService, type SpentToday } from './calls/budgets.service.js';
export { acceptedRun } from './records/accepted-run.js';
export {
  APPROVAL_DECISIONS,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  type ApprovalDecision,
  type ApprovalKind,
  type ApprovalStatus,
  DECISION_CHANNELS,
  DECISION_REFUSALS,
  type DecisionChannel,
  type DecisionRefusal,
} from './records/approval-status.js';
export type { ApprovalEntity, RecordedDecision } from './records/approval.entity.js';
export { evaluatedCase, evaluationTrigger } from './records/evaluated-case.js';
export { TOOL_RESULTS, type ToolResults } from './records/recorded-calls.js';
export { recordedPlan } from './records/recorded-plan.js';
export type { Creation, QueueRules, TurnCost } from './records/run-commands.js';
export { runContext } from './records/recorded-plan.js';
export {
  hasEnded,
  isCancelled,
  isHandedOff,
  isSuccess,
  RUN_MODES,
  RUN_STATUSES,
  type RunMode,
  type RunStatus,
  TRIGGER_TYPES,
  type TriggerType,
  WAIT_REASONS,
  waitsForPeople,
  type WaitReason,
} from './records/run-status.js';
export type { RunStepEntity } from './records/run-step.entity.js';
export type { RunEntity } from './records/run.entity.js';
export { runsSchema } from './migrations/index.js';
export { sqlRules } from './store/run-store-wire.js';
export type { CallbackPlace } from './callbacks/callback-addresses.service.js';
export { CallbacksService } from './callbacks/callbacks.service.js';
export { executeRun } from './store/run.jobs.js';
export { RunStore } from './store/run.store.js';
export { WorkerStore } from './store/worker.store.js';
export { openedRun, openedStep, RunPrivaciesService } from './privacy/run-privacies.service.js';
export { RunPrivacy } from './privacy/run-privacy.js';
export { SEALED_RUN_TABLES } from './privacy/sealed-tables.js';
export { presentApproval } from './read/approval.view.js';
export { consolePage, type ConsoleUrl } from './read/console-page.js';
export {
  ApprovalQueriesService,
  type ApprovalQuestion,
  type DecidableApproval,
} from './read/approval-queries.service.js';
export { RevealedRunsService } from './read/revealed-runs.service.js';
export { APPROVAL_SORTS, type ApprovalSort, type RunFilter, type TracePart } from './read/list-filters.js';
export { RunAgentsService } from './read/run-agents.service.js';
export { CONDITION_KEYS } from './interpreter/plan-in-progress.js';
export { presentPlan } from './read/run-plan.view.js';
export { RunPlansService } from './read/run-plans.service.js';
export { RunQueriesService, type RunWithApprovals, type TracedRun } from './read/run-queries.service.js';
export { RunEventViewsAdapter } from './read/run-event-views.adapter.js';
export { presentRun } from './read/run.view.js';
export { presentTranscript } from './read/transcript.view.js';
export { presentTrace, TRACE_STATUSES, type TraceStatus } from './read/trace.view.js';
export { USAGE_GROUPINGS, type UsageGrouping } from './read/usage-queries.service.js';
export { type Usage, UsageQueriesService, type UsageQuestion, type UsageSums } from './read/usage-queries.service.js';
export { BackpressureService } from './start/backpressure.service.js';
export { NewRunsService } from './start/new-runs.service.js';
export { RunIntakeService, type StartDraftRun } from './start/run-intake.service.js';
export type { StartRun } from './start/new-runs.service.js';
export { RunTextsService } from './live-view/run-texts.service.js';
export { type RunChange, RunWatcherService } from './live-view/run-watcher.service.js';
export { AdaptedTurn } from './models/adapted-turn.js';
export { askModel } from './models/model-turns.service.js';
export { RunTurns } from './models/run-turns.js';
export { type ModelCheck, ModelChecksService } from './models/model-checks.service.js';
export { turnCost, usageDetail } from './models/turn-cost.js';
export { turnFailure } from './models/turn-failure.js';
export { WatchedFetch } from './models/watched-fetch.js';
export { presentEntry, type StateOwner, StateService } from './state/state.service.js';
export { ApprovalDecisionsService, type Decide } from './approvals/approval-decisions.service.js';
export { RunExecutorService, RunReleasedListener } from './execution/run-executor.service.js';
export { WorkerLeaseService } from './execution/worker-lease.service.js';
export { type StandaloneReadResult, StandaloneReadsService } from './tools/standalone-reads.service.js';
export { type ReplayRun, RunReplaysService } from './replay/run-replays.service.js';
export { WorkspaceResumptionModule } from './emergency-stop/workspace-resumption.module.js';
export {
  QUEUED_RUNS,
  type QueuedRuns,
  type ResumeOrder,
  WorkspaceResumptionService,
} from './emergency-stop/workspace-resumption.service.js';
export type { BulkActionResultEntity } from './bulk/bulk-action-result.entity.js';
export {
  BULK_ACTION_KINDS,
  BULK_ACTION_STATUSES,
  BULK_RESULT_STATUSES,
  type BulkActionKind,
  type BulkActionStatus,
  type BulkResultStatus,
} from './bulk/bulk-action-status.js';
export { BulkActionWorker } from './bulk/bulk-action.worker.js';
export { type AcceptedBulkAction, BulkActionsService, type BulkOrder } from './bulk/bulk-actions.service.js';
export { RunsModule } from './runs.module.js';
export { RunWorkerModule } from './run-worker.module.js';
export { QueueMetricsModule } from './statistics/queue-metrics.module.js';
export { type ChangePosition, type Changes, RunChangesService } from './changes/run-changes.service.js';
export {
  RunStatisticsService,
  type RunStatisticsSum,
  STATISTICS_BUCKETS,
  STATISTICS_GROUPINGS,
  type StatisticsBucket,
  type StatisticsGrouping,
  type StatisticsQuestion,
} from './statistics/run-statistics.service.js';
export { type ErrorGroup, ErrorGroupsService } from './statistics/error-groups.service.js';
export { RunStatisticsWorker } from './statistics/run-statistics.worker.js';
export { WorkerLifecycleService } from './reconciling/worker-lifecycle.service.js';
export { RunRetentionService } from './retention/run-retention.service.js';
export { type RetentionConfig, retentionConfig } from './retention/retention.config.js';
export { type RunIntakeConfig, runIntakeConfig } from './start/run-intake.config.js';
export { RUN_ERROR_CODES, type RunErrorCode } from './interpreter/run-error.js';
export { FileLinkTokensService } from './tools/file-link-tokens.service.js';
