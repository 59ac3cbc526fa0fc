import type { CompiledDefinition } from '@app/definition';
import type { ApprovalRequest, Ask, RunOutcome, Wait } from '../interpreter/plan.js';
import { failureRules } from './approval-gates.js';
import type { Gate, StepIntent, StepNote } from '../records/run-commands.js';
import { isOutbound } from './step-records.js';
import type { AttemptState } from '../records/attempt-state.js';

/** A run that waits for others and for no time is woken by them. */
const LONGEST_PAUSE_MS = 30 * 86_400_000;

/** What waits for a person first. */
export type GatedIntent = StepIntent & { path: string; gate: Gate };

/** A step that waits for a person and nothing else. */
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
 * What becomes of a run of an evaluation that would ask people: nobody is asked, and it ends there. The trace shows the
 * request, cancelled.
 */
export function unaskedApproval({ path, gate }: { path: string; gate: Gate }): { note: StepNote; outcome: RunOutcome } {
  const { policy, rule, reason } = gate;
  const approvers = [...rule.approvers];
  const detail = { policy, rule: rule.name, approvers, asked: false };
  const note: StepNote = { path: `${path}#approval`, type: 'approval', state: 'cancelled', detail };
  return { note, outcome: { status: 'handed_off', output: { to: approvers, reason } } };
}

/**
 * How the run leaves its worker when only time can help: the waits that begin now, and the longest it may sleep, which is
 * `leftMs` where it waits. The database wakes it when the first of its waits is due, if that is sooner.
 */
export function pauseOf(
  asks: readonly Ask[],
  memory: AttemptState,
  leftMs: number,
): { intents: StepIntent[]; pauseMs: number } {
  const waits = asks.filter((ask): ask is Wait => ask.kind === 'wait' && !memory.openStep(ask.path));
  const delays = asks.flatMap((ask) =>
    isOutbound(ask) && memory.failedUnderThisAttempt(ask.path) ? [ask.delayMs] : [],
  );
  const longest = asks.some(({ kind }) => kind === 'wait') ? leftMs : LONGEST_PAUSE_MS;
  return { intents: waits.map(waitIntent), pauseMs: Math.min(longest, ...delays) };
}

function waitIntent({ path, forMs, until }: Wait): StepIntent {
  return forMs === null ? { type: 'wait', path, dueAt: until ?? undefined } : { type: 'wait', path, dueInMs: forMs };
}
