import { type CompiledDefinition, ExpressionError, SIMULATED_RESPONSE } from '@app/agents/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { Call, Outcome } from './engine/plan.js';
import { type Judgement, judge } from './engine/policy.js';
import type { RunFacts } from './engine/step-scope.js';
import type { Gate, StepNote } from './journal-entries.js';
import type { RunMode } from './run-status.js';

/**
 * begin   the call may be made.
 * settled its outcome is known without making it: a policy denies it, or mode `test` simulates it.
 * gate    a person has to agree first.
 */
export type Admission =
  { kind: 'begin' } | { kind: 'settled'; outcome: Outcome; note: StepNote } | { kind: 'gate'; gate: Gate };

/** What becomes of a call that is about to be made for the first time: policies first, then the mode of the run. */
export function admit(definition: CompiledDefinition, mode: RunMode, call: Call, facts: RunFacts): Admission {
  const judgement = judge(definition, call, facts);
  switch (judgement.action) {
    case 'deny':
      return denied(call, judgement);
    case 'require_approval':
      return { kind: 'gate', gate: gateOf(definition, call, judgement, facts) };
    case 'allow':
      return isSimulated(mode, call) ? simulated(call, facts) : { kind: 'begin' };
  }
}

/** In mode `test` no write leaves the service. */
export function isSimulated(mode: RunMode, { operation }: Call): boolean {
  return mode === 'test' && operation.scope === 'write';
}

/** The answer of the definition in place of the tool's. */
export function simulatedOutcome({ operation, request, stepId }: Call, facts: RunFacts): Outcome {
  try {
    return { ok: true, output: operation.simulate?.evaluate({ request, input: facts.input }) ?? SIMULATED_RESPONSE };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const message = `The simulate value of ${operation.fullName} cannot be evaluated: ${error.message}`;
    return { ok: false, error: { code: 'tool_error', message, step: stepId, permanent: true }, tries: 1 };
  }
}

function simulated(call: Call, facts: RunFacts): Admission {
  const outcome = simulatedOutcome(call, facts);
  const summary = 'simulated: the run is in mode test';
  if (!outcome.ok)
    return { kind: 'settled', outcome, note: noteOf(call, { state: 'failed', error: outcome.error, summary }) };
  return { kind: 'settled', outcome, note: noteOf(call, { state: 'simulated', output: outcome.output, summary }) };
}

function denied(call: Call, { policy, message }: Extract<Judgement, { action: 'deny' }>): Admission {
  const error = { code: 'tool_denied' as const, message, step: call.stepId, permanent: true };
  const note = noteOf(call, { state: 'denied', error, summary: `denied by ${policy}: ${message}` });
  return { kind: 'settled', outcome: { ok: false, error, tries: 1 }, note };
}

function noteOf(
  { path, request, operation }: Call,
  { summary, ...result }: Pick<StepNote, 'state' | 'output' | 'error'> & { summary: string },
): StepNote {
  const { fullName: tool, scope, effect } = operation;
  return { path, type: 'tool_call', tool, scope, effect, request, detail: { response_summary: summary }, ...result };
}

function gateOf(
  definition: CompiledDefinition,
  call: Call,
  { policy, reason, rule }: Extract<Judgement, { action: 'require_approval' }>,
  facts: RunFacts,
): Gate {
  const { fullName: name, scope, effect } = call.operation;
  const values = { ...facts, tool: { name, scope, effect }, request: call.request };
  const show: JsonObject = Object.fromEntries(
    rule.show.map((expression) => [expression.source, shown(() => expression.evaluate(values))]),
  );
  const onReject = rule.onReject ?? (definition.kind === 'model' ? 'continue' : 'fail');
  return { kind: 'tool_call', policy, reason, rule, onReject, show };
}

/** What cannot be shown must not keep a person from deciding. */
function shown(evaluation: () => JsonValue): JsonValue {
  try {
    return evaluation();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return null;
  }
}
