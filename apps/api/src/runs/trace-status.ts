import type { RunStep } from '@app/runs';

type StepState = RunStep['state'];

/**
 * `status` of a step of the trace. What has ended is spelled as the contract says (section 6); what has not is `running`
 * (under way), `pending` (approved, not begun), `awaiting_approval` or `waiting` (for a time).
 */
export const TRACE_STATUSES = [
  'succeeded',
  'failed',
  'denied',
  'simulated',
  'in_doubt',
  'cancelled',
  'running',
  'pending',
  'awaiting_approval',
  'waiting',
  'open',
  'approved',
  'rejected',
  'expired',
] as const;
export type TraceStatus = (typeof TRACE_STATUSES)[number];

const OF_STATE: Readonly<Record<StepState, TraceStatus>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  denied: 'denied',
  rejected: 'denied',
  simulated: 'simulated',
  in_doubt: 'in_doubt',
  cancelled: 'cancelled',
  // Broken off together with its worker; the next try is a step of its own.
  interrupted: 'cancelled',
  started: 'running',
  ready: 'pending',
  awaiting_approval: 'awaiting_approval',
  waiting: 'waiting',
};

/** Steps that stand for an approval have its status, all others what became of them. */
export function traceStatus(step: RunStep): TraceStatus {
  if (step.type === 'approval' || step.type === 'in_doubt') return approvalStatus(step);
  // A call that nobody knows the outcome of, in a run that went on to its `on_failure` steps.
  if (step.type === 'tool_call' && step.error?.code === 'in_doubt') return 'in_doubt';
  if (step.error?.code === 'knowledge_forbidden' && step.state === 'failed') return 'denied';
  return OF_STATE[step.state];
}

function approvalStatus({ state, output }: RunStep): TraceStatus {
  if (state === 'awaiting_approval') return 'open';
  if (state === 'cancelled') return 'cancelled';
  const said = typeof output === 'object' && output !== null && 'status' in output ? output.status : null;
  return TRACE_STATUSES.find((status) => status === said) ?? 'approved';
}
