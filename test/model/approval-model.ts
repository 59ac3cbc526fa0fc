import type { Gate } from '../../libs/runs/src/records/run-commands.js';
import type { StepState } from '../../libs/runs/src/records/run-step.entity.js';

export const DECISIONS = ['approve', 'edit', 'reject', 'mark_succeeded', 'mark_failed', 'retry'] as const;
export type Decision = (typeof DECISIONS)[number];

export interface ModelApproval {
  gate: Gate;
  n: number;
  status: 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled';
  request: object | null;
  decisions: { by: string; decision: Decision }[];
  overdue: boolean;
}

const ALLOWED: Record<Gate['kind'], readonly Decision[]> = {
  tool_call: ['approve', 'edit', 'reject'],
  step: ['approve', 'reject'],
  in_doubt: ['mark_succeeded', 'mark_failed', 'retry'],
  // The model does not cover questions that a plan asks.
  question: [],
};

export function isAllowed({ gate }: ModelApproval, decision: Decision): boolean {
  return ALLOWED[gate.kind].includes(decision);
}

export const statusAfter = (decision: Decision): 'approved' | 'rejected' =>
  decision === 'reject' || decision === 'mark_failed' ? 'rejected' : 'approved';

/**
 * Returns whether the decision repeats an earlier decision of the same person. Such a decision changes nothing. A
 * person who has edited the request has also approved it. An edit discards the decisions of all other people.
 */
export function isSaidAgain(approval: ModelApproval, decision: Decision, by: string): boolean {
  if (approval.status !== 'open' && approval.status !== statusAfter(decision)) return false;
  const before = approval.decisions.findLast((earlier) => earlier.by === by)?.decision;
  if (decision === 'edit') return false;
  return before === decision || (decision === 'approve' && before === 'edit');
}

/**
 * Effect of a decision or an expiry on the run. `raise` means that the step fails and the run continues, because its
 * definition handles the failure.
 */
export type Consequence = 'continue' | 'fail' | 'hand_off' | 'raise';

const isRefusal = (how: Decision | 'expire'): boolean => how === 'reject' || how === 'expire';

export function consequenceOf(gate: Gate, how: Decision | 'expire'): Consequence {
  if (!isRefusal(how)) return 'continue';
  const { onTimeout } = gate.rule;
  const consequence = how === 'expire' && onTimeout !== 'reject' ? onTimeout : gate.onReject;
  return consequence === 'fail' && gate.failureIsHandled ? 'raise' : consequence;
}

export function stateAfter(how: Decision | 'expire', kind: Gate['kind'], consequence: Consequence): StepState {
  if (how === 'approve' || how === 'edit') return 'ready';
  if (how === 'retry') return 'interrupted';
  if (how === 'mark_succeeded') return 'succeeded';
  if (how === 'mark_failed' || consequence === 'raise') return 'failed';
  // The outcome of a call in doubt is still unknown. The trace must not state that the call did not happen.
  return kind === 'in_doubt' ? 'in_doubt' : 'rejected';
}

export function stateOfQuestion(how: Decision | 'expire', consequence: Consequence): StepState {
  if (!isRefusal(how)) return 'succeeded';
  return consequence === 'raise' ? 'failed' : 'rejected';
}
