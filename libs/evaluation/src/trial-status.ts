/**
 * pending: nobody has started its run. running: its run has not been graded. The others are final; cancelled: the
 * evaluation ended before.
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
