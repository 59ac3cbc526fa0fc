import type { CompiledDefinition } from '@app/definition';
import type { ApprovalRequest, Ask, RunOutcome, Wait } from '../interpreter/plan.js';
import { failureRules } from './approval-gates.js';
import type { Gate, StepIntent, StepNote } from '../records/run-commands.js';
import { isOutbound } from './step-records.js';
import type { AttemptState } from '../records/attempt-state.js';

/** Pause of a run that waits only for child runs. The end of a child run resumes it earlier. */
const LONGEST_PAUSE_MS = 30 * 86_400_000;

export type GatedIntent = StepIntent & { path: string; gate: Gate };

export function approvalIntent(definition: CompiledDefinition, { path, rule, show }: ApprovalRequest): GatedIntent {
  const onReject = rule.onReject ?? 'fail';
  return {
    type: 'approval',
    path,
    gate: {
      kind: 'step',
      policy: rule.name,
      reason: `approval: ${rule.name}`,
      rule,
      onReject,
      show,
      ...failureRules(definition, rule),
    },
  };
}

/**
 * Returns the result of an approval in a run of an evaluation, which asks no person: the run ends, and its trace shows
 * a cancelled approval.
 */
export function unaskedApproval({ path, gate }: { path: string; gate: Gate }): { note: StepNote; outcome: RunOutcome } {
  const { policy, rule, reason } = gate;
  const approvers = [...rule.approvers];
  const detail = { policy, rule: rule.name, approvers, asked: false };
  const note: StepNote = { path: `${path}#approval`, type: 'approval', state: 'cancelled', detail };
  return { note, outcome: { status: 'handed_off', output: { to: approvers, reason } } };
}

/**
 * Returns the intents of the waits that begin now, and the maximum pause of the run in milliseconds. If the run has a
 * wait, the pause is at most `leftMs`. Postgres makes the run due earlier if a wait of the run is due earlier.
 */
export function pauseOf(
  asks: readonly Ask[],
  state: AttemptState,
  leftMs: number,
): { intents: StepIntent[]; pauseMs: number } {
  const waits = asks.filter((ask): ask is Wait => ask.kind === 'wait' && !state.openStep(ask.path));
  const delays = asks.flatMap((ask) =>
    isOutbound(ask) && state.failedUnderThisAttempt(ask.path) ? [ask.delayMs] : [],
  );
  const longest = asks.some(({ kind }) => kind === 'wait') ? leftMs : LONGEST_PAUSE_MS;
  return { intents: waits.map(waitIntent), pauseMs: Math.min(longest, ...delays) };
}

function waitIntent({ path, forMs, until }: Wait): StepIntent {
  return forMs === null ? { type: 'wait', path, dueAt: until ?? undefined } : { type: 'wait', path, dueInMs: forMs };
}
