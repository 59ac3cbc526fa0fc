/** All statuses except `pending` and `running` are final. */
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
