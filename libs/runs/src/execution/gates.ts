import {
  type ApprovalRule,
  blocksOf,
  type CompiledDefinition,
  type CompiledStep,
  ExpressionError,
} from '@app/definition';
import { isJsonObject, type JsonObject } from '@app/kernel';
import type { Call } from '../interpreter/plan.js';
import { ADMINS_DECIDE } from '../interpreter/policy.js';
import type { Gate } from '../records/run-commands.js';

/** What the definition says about a run that goes no further because of an approval. */
export function failureRules(
  { handOff, onFailure, steps }: CompiledDefinition,
  rule: ApprovalRule,
): Pick<Gate, 'handOffTo' | 'failureIsHandled'> {
  const failureIsHandled = onFailure.length > 0 || mayGoOn(steps);
  return { handOffTo: handOff?.to ?? rule.approvers, failureIsHandled };
}

/** Whether the failure of some step does not end the plan: whether it is this step's, only the plan knows. */
function mayGoOn(steps: readonly CompiledStep[]): boolean {
  return steps.some((step) => step.continueOnError || blocksOf(step).some(mayGoOn));
}

/** What a reconciliation knows about the call whose answer was lost. */
export interface LostCall {
  call: Call;
  /** The stable key that the call was sent with. */
  key: string;
}

/** The read that tells what became of a lost call, or null where the definition names none or it cannot be asked. */
export function reconciliationCall(definition: CompiledDefinition, lost: LostCall): Call | null {
  const { reconcile } = lost.call.operation;
  const operation = reconcile && definition.operations.get(reconcile.operation);
  if (!reconcile || !operation) return null;
  try {
    const request = reconcile.with.evaluate(scopeOf(lost));
    if (!isJsonObject(request)) return null;
    const { path, stepId, steps } = lost.call;
    return {
      kind: 'call',
      path: `${path}#reconcile`,
      stepId,
      operation,
      request,
      steps,
      timeoutMs: operation.timeoutMs,
      try: 1,
      delayMs: 0,
    };
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

/** Whether the answer of the reconciliation says that the lost call was applied; null where it does not tell. */
export function wasApplied(lost: LostCall, response: JsonObject): boolean | null {
  try {
    return lost.call.operation.reconcile?.appliedIf.evaluate({ ...scopeOf(lost), response }) ?? null;
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

/** Asks a person what became of the call: the first rule of the definition says whom, else the workspace's admins. */
export function doubtGate(definition: CompiledDefinition, { call }: LostCall): Gate {
  const rule = [...definition.approvals.values()][0] ?? ADMINS_DECIDE;
  const reason = `Whether ${call.operation.fullName} happened is unknown.`;
  const rules = failureRules(definition, rule);
  return { kind: 'in_doubt', policy: 'in_doubt', reason, rule, onReject: 'fail', show: {}, ...rules };
}

function scopeOf({ call, key }: LostCall): JsonObject {
  return { request: call.request, call: { key, tool: call.operation.fullName } };
}
