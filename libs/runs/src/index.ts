/**
 * Runs: what it means to start one, carry it out so that it survives anything, and read it afterwards.
 * The states and who may change them: run-status.ts. The protocol: sql/. What comes next in a run: engine/.
 */
export { ApprovalDecisions, type Decide } from './approval-decisions.service.js';
export { ApprovalQueries } from './approval-queries.service.js';
export {
  APPROVAL_DECISIONS,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  type ApprovalDecision,
  type ApprovalKind,
  type ApprovalStatus,
} from './approval-status.js';
export type { Approval, RecordedDecision } from './approval.entity.js';
export { EmergencyStopModule } from './emergency-stop.module.js';
export {
  COUNTED_RUNS,
  DRAIN_TIMEOUT,
  EmergencyStop,
  QUEUED_RUNS,
  type QueuedRuns,
  type ResumeOrder,
  STOPPED_RUNS,
  type StoppedRuns,
  type StopOrder,
  type StopReport,
} from './emergency-stop.service.js';
export { checkInvariants, type Violation } from './invariants/check-invariants.js';
export { InvariantsModule } from './invariants/invariants.module.js';
export { migrateSchema } from './migrate-schema.js';
export type { Run } from './run.entity.js';
export { executeRun } from './run.jobs.js';
export { RunCancellation } from './run-cancellation.service.js';
export { RunExecutionModule } from './run-execution.module.js';
export { RunExecutor } from './run-executor.service.js';
export type { RunFilter } from './run-filter.js';
export { RunIntake, type StartRun } from './run-intake.service.js';
export { RunQueries, type RunWithApprovals } from './run-queries.service.js';
export { type ReplayRun, RunReplays } from './run-replays.service.js';
export { TOOL_RESULTS, type ToolResults } from './recorded-calls.js';
export { type RunChange, RunWatcher } from './run-watcher.service.js';
export {
  hasEnded,
  RUN_MODES,
  RUN_STATUSES,
  type RunMode,
  type RunStatus,
  TRIGGER_TYPES,
  type TriggerType,
} from './run-status.js';
export type { RunStep, StepState, StepType } from './run-step.entity.js';
export { RunsModule } from './runs.module.js';
export { WorkerLifecycle } from './worker-lifecycle.service.js';
export { Fleet } from './fleet.js';
