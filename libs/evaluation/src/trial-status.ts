/**
 * `pending`: the run has not been started. `running`: the run has been started, and the trial has no grade.
 * `cancelled`: the evaluation ended before the trial. All statuses except `pending` and `running` are final.
 */
export const TRIAL_STATUSES = [
  'pending',
  'running',
  'passed',
  'failed',
  'errored',
  'inconclusive',
  'cancelled',
] as const;
export type TrialStatus = (typeof TRIAL_STATUSES)[number];
