import { type ApprovalRule, type CompiledDefinition, ExpressionError } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { Call } from '../interpreter/plan.js';
import { handlesFailures } from '../interpreter/step-failures.js';
import { ADMINS_DECIDE } from '../interpreter/policy.js';
import type { Gate } from '../records/run-commands.js';

export function failureRules(
  definition: CompiledDefinition,
  rule: Pick<ApprovalRule, 'approvers'>,
): Pick<Gate, 'handOffTo' | 'failureIsHandled'> {
  return { handOffTo: definition.handOff?.to ?? rule.approvers, failureIsHandled: handlesFailures(definition) };
}

export interface UnknownCall {
  call: Call;
  key: string;
}

/** Returns null if the definition has no reconciliation, or if its request cannot be computed. */
export function reconciliationCall(definition: CompiledDefinition, lost: UnknownCall): Call | null {
  const { reconcile } = lost.call.operation;
  const operation = reconcile && definition.operations.get(reconcile.operation);
  if (!reconcile || !operation) return null;
  try {
    const request = reconcile.with.evaluate(scopeOf(lost));
    if (!isJsonObject(request)) return null;
    const { path, stepId, steps, callbacks } = lost.call;
    return {
      kind: 'call',
      path: `${path}#reconcile`,
      stepId,
      operation,
      request,
      steps,
      ...(callbacks && { callbacks }),
      timeoutMs: operation.timeoutMs,
      try: 1,
      delayMs: 0,
    };
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

/**
 * The outcome of a call according to its reconciliation. `applied` is true if the call had its effect. In this case,
 * `output` is the output of the step that made the call.
 */
export type ReconciledOutcome = { applied: true; output: JsonValue } | { applied: false };

/** Returns null if an expression cannot be evaluated, because the outcome of the call is then still unknown. */
export function reconciledOutcome(lost: UnknownCall, response: JsonObject): ReconciledOutcome | null {
  const { reconcile } = lost.call.operation;
  if (!reconcile) return null;
  const scope = { ...scopeOf(lost), response };
  try {
    if (!reconcile.appliedIf.evaluate(scope)) return { applied: false };
    return { applied: true, output: reconcile.output ? reconcile.output.evaluate(scope) : (response.body ?? null) };
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

/**
 * Its approvers are those of the first approval rule in the definition. If the definition has no approval rule, the
 * approvers are the admins.
 */
export function inDoubtGate(definition: CompiledDefinition, { call }: UnknownCall): Gate {
  const rule = [...definition.approvals.values()][0] ?? ADMINS_DECIDE;
  const reason = `The outcome of ${call.operation.fullName} is unknown.`;
  const rules = failureRules(definition, rule);
  return { kind: 'in_doubt', policy: 'in_doubt', reason, rule, onReject: 'fail', show: {}, ...rules };
}

function scopeOf({ call, key }: UnknownCall): JsonObject {
  return { request: call.request, call: { key, tool: call.operation.fullName } };
}
