/**
 * An evaluation is first `queued`, then `running`, and then has a final status that never changes. `errored` means that
 * no case could be graded.
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

export function isOpen(status: EvaluationStatus): boolean {
  return status === 'queued' || status === 'running';
}
