/**
 * The life of an evaluation: queued until its turn, running while cases run, then its verdict. errored: none of its
 * cases could be graded. It ends once; what has ended stays as it is.
 */
export const EVALUATION_STATUSES = [
  'queued',
  'running',
  'passed',
  'failed',
  'inconclusive',
  'errored',
  'cancelled',
] as const;
export type EvaluationStatus = (typeof EVALUATION_STATUSES)[number];

/** Whether it is still to be waited for. */
export function isOpen(status: EvaluationStatus): boolean {
  return status === 'queued' || status === 'running';
}
