import {
  type ApprovalRule,
  type CompiledDefinition,
  type CompiledPolicy,
  type Expression,
  ExpressionError,
  hostOfCall,
  POLICY_ACTIONS,
  type PolicyAction,
  withSharedBudget,
} from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { Call } from './plan.js';
import type { RunContext } from './step-scope.js';

/**
 * `code` is the error code of a denied call: `policy_error` if a policy could not be evaluated, otherwise
 * `tool_denied`.
 */
export type Judgement =
  | { action: 'allow' }
  | { action: 'deny'; code: 'tool_denied' | 'policy_error'; policy: string; message: string }
  | { action: 'require_approval'; policy: string; reason: string; rule: ApprovalRule };

export type JudgedCall = Pick<Call, 'operation' | 'request' | 'steps'>;

interface Match {
  action: PolicyAction;
  policy: string;
  reason: string;
  approval: string | null;
  message: string | null;
  isError: boolean;
}

const WEEK_MILLIS = 7 * 24 * 3_600_000;

/** The admins of the workspace decide. */
export const ADMINS_DECIDE: ApprovalRule = {
  name: 'admins',
  approvers: [],
  required: 1,
  selfApproval: false,
  timeoutMs: WEEK_MILLIS,
  onTimeout: 'fail',
  onReject: null,
  show: [],
};

/**
 * A policy that cannot be evaluated never allows a call. If several policies require approval, the first of them in the
 * definition determines the approvers, and the reason lists all of them.
 */
export function judge(definition: CompiledDefinition, call: JudgedCall, facts: RunContext): Judgement {
  const matches = definition.policies.length === 0 ? [] : matchesOf(definition, valuesAbout(definition, call, facts));
  const strongest = POLICY_ACTIONS.map((action) => matches.filter((found) => found.action === action));
  const [first, ...further] = strongest.find((found) => found.length > 0) ?? [];
  if (!first) return judgementOf(definition, call, byDefault(definition, call.operation.scope));
  return judgementOf(definition, call, withFurther(first, further));
}

function withFurther(found: Match, further: readonly Match[]): Match {
  return further.length === 0
    ? found
    : {
        ...found,
        reason: [found.reason, ...further.map(({ policy, reason }) => `${policy}: ${reason}`)].join('; also '),
      };
}

function valuesAbout(
  definition: CompiledDefinition,
  { operation, request, steps }: JudgedCall,
  facts: RunContext,
): JsonObject {
  const { fullName: name, scope, effect } = operation;
  const host = hostOfCall(definition.tools.get(operation.tool), operation, { request, ...facts });
  return { tool: { name, scope, effect, host }, request, steps, ...facts };
}

function matchesOf(definition: CompiledDefinition, values: JsonObject): Match[] {
  return withSharedBudget(() => definition.policies.flatMap((policy) => match(definition, policy, values)));
}

function match(definition: CompiledDefinition, policy: CompiledPolicy, values: JsonObject): Match[] {
  const { name, action, approval, message } = policy;
  try {
    if (!policy.when.evaluate(values)) return [];
    return [{ action, policy: name, reason: policy.when.source, approval, message, isError: false }];
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const reason = `${policy.when.source} (could not be evaluated: ${error.message})`;
    return [
      { action: definition.policyDefaults.onError, policy: name, reason, approval, message: reason, isError: true },
    ];
  }
}

function byDefault({ policyDefaults }: CompiledDefinition, scope: 'read' | 'write'): Match {
  const reason = `policy_defaults.${scope}`;
  const { approval } = policyDefaults;
  return { action: policyDefaults[scope], policy: reason, reason, approval, message: null, isError: false };
}

function judgementOf(definition: CompiledDefinition, call: JudgedCall, found: Match): Judgement {
  const { action, policy, reason } = found;
  if (action === 'allow') return { action };
  if (action === 'deny') {
    const code = found.isError ? 'policy_error' : 'tool_denied';
    return {
      action,
      code,
      policy,
      message: found.message ?? `The policy ${policy} denies ${call.operation.fullName}.`,
    };
  }
  const rule = (found.approval === null ? undefined : definition.approvals.get(found.approval)) ?? ADMINS_DECIDE;
  return { action, policy, reason, rule };
}

/** If an expression cannot be evaluated, its value is null. */
export function shownAbout(
  definition: CompiledDefinition,
  call: JudgedCall,
  expressions: readonly Expression[],
  facts: RunContext,
): JsonObject {
  const values = valuesAbout(definition, call, facts);
  return withSharedBudget(() =>
    Object.fromEntries(expressions.map((expression) => [expression.source, shown(expression, values)])),
  );
}

/** If it cannot be evaluated, returns null, so that they can still decide. */
function shown(expression: Expression, values: JsonObject): JsonValue {
  try {
    return expression.evaluate(values);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return null;
  }
}
