export { EvaluationSupervisorService } from './evaluation-supervisor.service.js';
export { EvaluationModule } from './evaluation.module.js';
export { caseStatus } from './evaluation-outcome.js';
export type { EvaluationTrialEntity } from './evaluation-trial.entity.js';
export type { AssertionResult, CallDifference } from './grade.js';
export { TRIAL_STATUSES, type TrialStatus } from './trial-status.js';
export { type EvaluationWithTrials, VersionEvaluationsService } from './version-evaluations.service.js';
export { evaluationSchema } from './migrations/index.js';
