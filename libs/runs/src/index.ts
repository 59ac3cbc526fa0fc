/**
 * Runs: what it means to start one, carry it out so that it survives anything, and read it afterwards.
 * The states and who may change them: run-status.ts. The protocol: sql/. What comes next in a run: engine/.
 */
export { ApprovalDecisions, type Decide } from './approvals/approval-decisions.service.js';
export { ApprovalQueries } from './approvals/approval-queries.service.js';
export {
  APPROVAL_DECISIONS,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  type ApprovalDecision,
  type ApprovalKind,
  type ApprovalStatus,
} from './approvals/approval-status.js';
export type { Approval, RecordedDecision } from './approvals/approval.entity.js';
export { ArchivedRuns } from './archiving/archived-runs.js';
export { RunReleasedListener } from './execution/run-released.listener.js';
export { WorkspaceResumptionModule } from './emergency-stop/workspace-resumption.module.js';
export {
  QUEUED_RUNS,
  type QueuedRuns,
  type ResumeOrder,
  WorkspaceResumption,
} from './emergency-stop/workspace-resumption.service.js';
export { QueueMetricsModule } from './queue-metrics.module.js';
export { MonthKeeper } from './retention/month-keeper.service.js';
export { RetentionModule } from './retention/retention.module.js';
export { RunRetention } from './retention/run-retention.service.js';
export { RevealedRuns } from './privacy/revealed-runs.service.js';
export { SEALED_RUN_TABLES } from './privacy/sealed-tables.js';
export { shownObject, shownOutput } from './privacy/sealed-value.js';
export type { Run } from './run.entity.js';
export { executeRun } from './run.jobs.js';
export { runFunctions } from './run-functions.js';
export { RunPrivacies } from './privacy/run-privacies.service.js';
export { ModelNetworkModule } from './models/model-network.module.js';
export { RunCancellation } from './run-cancellation.service.js';
export { RunExecutionModule } from './run-execution.module.js';
export { RunExecutor } from './run-executor.service.js';
export type { RunFilter } from './run-filter.js';
export { RunIntake } from './run-intake.service.js';
export type { StartRun } from './start-run.js';
export { RunQueries, type RunWithApprovals } from './run-queries.service.js';
export { type ReplayRun, RunReplays } from './replay/run-replays.service.js';
export { TOOL_RESULTS, type ToolResults } from './replay/recorded-calls.js';
export { RunTexts } from './live-view/run-texts.service.js';
export { type RunChange, RunWatcher } from './live-view/run-watcher.service.js';
export {
  hasEnded,
  RUN_MODES,
  RUN_STATUSES,
  type RunMode,
  type RunStatus,
  TRIGGER_TYPES,
  type TriggerType,
} from './run-status.js';
export type { RunStep } from './run-step.entity.js';
export { RunsModule } from './runs.module.js';
export { WorkerLifecycle } from './execution/worker-lifecycle.service.js';
export { Fleet } from './fleet.js';
export { USAGE_GROUPINGS, type UsageGrouping } from './usage/usage-grouping.js';
export { type Usage, UsageQueries, type UsageQuestion, type UsageSums } from './usage/usage-queries.service.js';
export { isRetrieval } from './retrieval-step.js';
export { acceptedRun } from './accepted-run.js';
export { Backpressure } from './backpressure.service.js';
export { evaluatedCase, evaluationTrigger } from './calls/evaluated-case.js';
export { readAnswer } from './engine/answer.js';
export { type Prompt, inputMessage } from './engine/prompt.js';
export { WORK_PER_TURN } from './engine/work-meter.js';
export { recordedPlan } from './execution/recorded-plan.js';
export { WorkerLease } from './execution/worker-lease.service.js';
export type { TurnCost, QueueRules, Creation } from './journal-entries.js';
export { sqlRules } from './journal-wire.js';
export { askModel } from './models/ask-model.js';
export { turnCost } from './models/turn-cost.js';
export { turnFailure } from './models/turn-failure.js';
export { WatchedFetch } from './models/watched-fetch.js';
export { openedRun, openedStep } from './privacy/opened-run.js';
export { RunPrivacy } from './privacy/run-privacy.js';
export { RunDrafts } from './run-drafts.service.js';
export { runFacts } from './run-facts.js';
export { RunJournal } from './run-journal.js';
export { SecretRedaction } from './tools/secret-redaction.js';
