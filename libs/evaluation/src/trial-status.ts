/**
 * Status of a trial. All statuses except `pending` and `running` are final.
 * - `pending`: the run of the trial has not been started.
 * - `running`: the run has been started, and the trial has no grade yet.
 * - `cancelled`: the evaluation ended before the trial was graded.
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
