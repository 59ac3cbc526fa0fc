import type { CompiledDefinition } from '@app/agents/definition';
import type { ApprovalRequest, Ask, Wait } from './engine/plan.js';
import { failureRules } from './failure-rules.js';
import type { StepIntent } from './journal-entries.js';
import type { RunMemory } from './run-memory.js';

/** A step that waits for a person and nothing else. */
export function approvalIntent(definition: CompiledDefinition, { path, rule, show }: ApprovalRequest): StepIntent {
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
 * How the run leaves its worker when only time can help: the waits that begin now, and the longest it may sleep. The
 * database wakes it when the first of its waits is due, if that is sooner.
 */
export function pauseOf(
  asks: readonly Ask[],
  memory: RunMemory,
  maxWaitMs: number,
): { intents: StepIntent[]; pauseMs: number } {
  const waits = asks.filter((ask): ask is Wait => ask.kind === 'wait' && !memory.openStep(ask.path));
  const delays = asks.flatMap((ask) =>
    ask.kind === 'call' && memory.failedUnderThisAttempt(ask.path) ? [ask.delayMs] : [],
  );
  return { intents: waits.map(waitIntent), pauseMs: Math.min(maxWaitMs, ...delays) };
}

function waitIntent({ path, forMs, until }: Wait): StepIntent {
  return forMs === null ? { type: 'wait', path, dueAt: until ?? undefined } : { type: 'wait', path, dueInMs: forMs };
}
