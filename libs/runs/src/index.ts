/**
 * Runs: what it means to start one, carry it out so that it survives anything, and read it afterwards.
 * The states and who may change them: run-status.ts. The protocol: sql/. What comes next in a run: engine/.
 */
export { migrateSchema } from './migrate-schema.js';
export type { Run } from './run.entity.js';
export { executeRun } from './run.jobs.js';
export { RunCancellation } from './run-cancellation.service.js';
export { RunExecutionModule } from './run-execution.module.js';
export { RunExecutor } from './run-executor.service.js';
export type { RunFilter } from './run-filter.js';
export { RunIntake, type StartRun } from './run-intake.service.js';
export { RunQueries } from './run-queries.service.js';
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
