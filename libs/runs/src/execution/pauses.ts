import type { CompiledDefinition } from '@app/definition';
import type { ApprovalRequest, Ask, CallbackRequest, Question, RunOutcome, Wait } from '../interpreter/plan.js';
import { failureRules } from './approval-gates.js';
import type { Gate, StepIntent, StepNote } from '../records/run-commands.js';
import { isOutbound } from './step-records.js';
import type { AttemptState } from '../records/attempt-state.js';

const MAX_PAUSE_MS = 30 * 86_400_000;

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

/** The initiator of the run may also answer it, and one answer is enough. */
export function questionIntent(definition: CompiledDefinition, question: Question): GatedIntent {
  const { path, stepId, to: approvers, title, form, show, timeoutMs, onTimeout } = question;
  const name = stepId ?? path;
  const rule = { name, approvers, required: 1, selfApproval: true, timeoutMs, onTimeout, onReject: null, show: [] };
  const rules = failureRules(definition, rule);
  const reason = `ask: ${name}`;
  const gate: Gate = {
    kind: 'question',
    policy: name,
    reason,
    rule,
    onReject: 'fail',
    show,
    ...rules,
    question: { title, form },
  };
  return { type: 'approval', path, gate };
}

/** No person is asked: the run ends, and its trace contains a cancelled approval. */
export function unaskedApproval({ path, gate }: { path: string; gate: Gate }): { note: StepNote; outcome: RunOutcome } {
  const { policy, rule, reason } = gate;
  const approvers = [...rule.approvers];
  const detail = { policy, rule: rule.name, approvers, asked: false };
  const note: StepNote = { path: `${path}#approval`, type: 'approval', state: 'cancelled', detail };
  return { note, outcome: { status: 'handed_off', output: { to: approvers, reason } } };
}

/**
 * If the run waits for a time or a callback, the pause is at most `leftMs`, the remaining waiting time of the run. The
 * run may continue earlier: when the first of its waits ends, Postgres marks the run as due.
 */
export function pauseOf(
  asks: readonly Ask[],
  state: AttemptState,
  leftMs: number,
): { intents: StepIntent[]; pauseMs: number } {
  const waits = asks.filter(isWait).filter((ask) => !state.openStep(ask.path));
  const delays = asks.flatMap((ask) =>
    isOutbound(ask) && state.failedUnderThisAttempt(ask.path) ? [ask.delayMs] : [],
  );
  const longest = asks.some(isWait) ? leftMs : MAX_PAUSE_MS;
  return { intents: waits.map(waitIntent), pauseMs: Math.min(longest, ...delays) };
}

export function isWait(ask: Ask): ask is Wait | CallbackRequest {
  return ask.kind === 'wait' || ask.kind === 'callback';
}

function waitIntent(ask: Wait | CallbackRequest): StepIntent {
  const { path } = ask;
  if (ask.kind === 'callback') return { type: 'wait', path, dueInMs: ask.timeoutMs, callback: true };
  const { forMs, until } = ask;
  return forMs === null ? { type: 'wait', path, dueAt: until ?? undefined } : { type: 'wait', path, dueInMs: forMs };
}
