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
export type { Approval } from './approvals/approval.entity.js';
export { AgentArchive } from './archiving/agent-archive.service.js';
export { WorkspaceResumptionModule } from './emergency-stop/workspace-resumption.module.js';
export {
  QUEUED_RUNS,
  type QueuedRuns,
  type ResumeOrder,
  WorkspaceResumption,
} from './emergency-stop/workspace-resumption.service.js';
export { caseStatus } from './evaluation/evaluation-outcome.js';
export type { EvaluationTrial } from './evaluation/evaluation-trial.entity.js';
export { TRIAL_STATUSES, type TrialStatus } from './evaluation/trial-status.js';
export { type EvaluationWithTrials, VersionEvaluations } from './evaluation/version-evaluations.service.js';
export { InvariantsModule } from './invariants/invariants.module.js';
export { migrateSchema } from './migrate-schema.js';
export { QueueMetricsModule } from './queue-metrics.module.js';
export { MonthKeeper } from './retention/month-keeper.service.js';
export { RetentionModule } from './retention/retention.module.js';
export { RunRetention } from './retention/run-retention.service.js';
export { RevealedRuns } from './privacy/revealed-runs.service.js';
export { SEALED_RUN_TABLES } from './privacy/sealed-tables.js';
export { shownObject, shownOutput } from './privacy/sealed-value.js';
export type { Run } from './run.entity.js';
export { executeRun } from './run.jobs.js';
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
export { EmailIntake, type MailVerdict, together } from './triggers/email/email-intake.service.js';
export type { TriggerEvent } from './triggers/trigger-event.entity.js';
export { TRIGGER_OUTCOMES, type TriggerOutcome } from './triggers/trigger-outcome.js';
export { type TriggerHealth, TriggerQueries } from './triggers/trigger-queries.service.js';
export {
  type DeliveryName,
  type WebhookAnswer,
  type WebhookDelivery,
  WebhookIntake,
} from './triggers/webhook-intake.service.js';
export { type RunNow, ScheduledRuns } from './triggers/scheduled-runs.service.js';
export { ScheduleKeeper } from './triggers/schedule-keeper.service.js';
export { TriggerRetention } from './triggers/trigger-retention.service.js';
export { SchedulesModule } from './triggers/schedules.module.js';
export { TriggersModule } from './triggers/triggers.module.js';
export { MailboxWatchers } from './triggers/email/imap/mailbox-watchers.service.js';
export { MailboxWatchingModule } from './triggers/email/imap/mailbox-watching.module.js';
export { WorkerLifecycle } from './execution/worker-lifecycle.service.js';
export { Fleet } from './fleet.js';
export { USAGE_GROUPINGS, type UsageGrouping } from './usage/usage-grouping.js';
export { type Usage, UsageQueries, type UsageQuestion, type UsageSums } from './usage/usage-queries.service.js';
export { isRetrieval } from './retrieval-step.js';
