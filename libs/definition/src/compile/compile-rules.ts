import { parseMicros } from '@app/kernel';
import {
  type ApprovalRule,
  type CompiledPolicy,
  type ConcurrencyRule,
  POLICY_ACTIONS,
  type PolicyDefaults,
  type RunBudget,
  type RunLimits,
} from '../model/compiled-definition.js';
import { RETRYABLE_ERRORS, type RetryPolicy } from '../model/compiled-step.js';
import type { CompileContext, ScopeExtras } from '../contract/compile-context.js';
import type { ToolOperation } from '../model/compiled-tool.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import { operationNamedBy, requestShape, type RequestShape } from '../contract/known-shapes.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 1,
  // Even if the author sets no `retry`, a call that gets no response is retried, for example after a broken connection.
  maxAttemptsUnanswered: 3,
  backoff: 'exponential',
  initialMs: 1_000,
  maxMs: MINUTE_MS,
  retryOn: RETRYABLE_ERRORS,
};

export function compileLimits(node: DefinitionNode | null): RunLimits {
  return {
    maxSteps: node?.numberOr('max_steps', undefined) ?? 100,
    maxDurationMs: node?.durationOr('max_duration', undefined) ?? 15 * MINUTE_MS,
    maxWaitMs: node?.durationOr('max_wait', undefined) ?? 30 * DAY_MS,
    queueTtlMs: node?.durationOr('queue_ttl', undefined) ?? null,
    budget: compileBudget(node?.optionalChild('budget') ?? null),
  };
}

function compileBudget(node: DefinitionNode | null): RunBudget | null {
  if (!node) return null;
  return {
    perRunMicros: amount(node, 'per_run'),
    perDayMicros: amount(node, 'per_day'),
    currency: node.text('currency'),
    onExceeded: node.choiceOr('on_exceeded', ['fail', 'hand_off'], 'fail'),
  };
}

function amount(node: DefinitionNode, key: string): bigint | null {
  return node.has(key) ? (parseMicros(node.text(key)) ?? null) : null;
}

/** The default retry policy of model turns. A turn changes nothing, so it is safe to retry. */
export const DEFAULT_TURN_RETRY: RetryPolicy = {
  maxAttempts: 3,
  maxAttemptsUnanswered: 3,
  backoff: 'exponential',
  initialMs: 1_000,
  maxMs: 30_000,
  retryOn: ['provider_error', 'provider_rate_limited', 'timeout'],
};

/**
 * Fills the missing values of a retry policy from `byDefault`. If `node` sets only one of `initial` and `max`, the
 * other is adjusted so that `initial` is at most `max`.
 */
export function compileRetry(node: DefinitionNode | null, byDefault: RetryPolicy = DEFAULT_RETRY): RetryPolicy {
  if (!node) return byDefault;
  const retryOn = node.texts('retry_on');
  return {
    maxAttempts: node.numberOr('max_attempts', byDefault.maxAttempts),
    maxAttemptsUnanswered: node.numberOr('max_attempts', byDefault.maxAttemptsUnanswered),
    backoff: node.choiceOr('backoff', ['exponential', 'constant'], byDefault.backoff),
    initialMs: node.durationOr('initial', Math.min(byDefault.initialMs, node.durationOr('max', Infinity))),
    maxMs: node.durationOr('max', Math.max(byDefault.maxMs, node.durationOr('initial', 0))),
    retryOn: node.has('retry_on') ? RETRYABLE_ERRORS.filter((code) => retryOn.includes(code)) : byDefault.retryOn,
  };
}

export function compileConcurrency(node: DefinitionNode | null, context: CompileContext): ConcurrencyRule | null {
  if (!node) return null;
  return {
    max: node.numberOr('max', null),
    key: context.optionalTemplate(node, 'key', 'concurrency'),
    maxPerKey: node.numberOr('max_per_key', null),
    onConflict: node.choiceOr('on_conflict', ['queue', 'reject'], 'queue'),
  };
}

/**
 * Compiles the policies. If a condition names an operation, its uses of `request` are checked against the request
 * schema of that operation.
 */
export function compilePolicies(
  root: DefinitionNode,
  operations: ReadonlyMap<string, ToolOperation>,
  context: CompileContext,
  extras: ScopeExtras,
): CompiledPolicy[] {
  const shapeFor = (condition: string): RequestShape | undefined => {
    const name = operationNamedBy(condition);
    return name === undefined ? undefined : requestShape(name, operations.get(name)?.request?.schema);
  };
  return root.items('policies').map((node) => ({
    name: node.text('name'),
    when: context.condition(node.text('when'), node.pathOf('when'), 'policy', {
      ...extras,
      request: shapeFor(node.text('when')),
    }),
    action: node.choiceOr('action', POLICY_ACTIONS, 'deny'),
    approval: node.optionalText('approval'),
    message: node.optionalText('message'),
  }));
}

export function compilePolicyDefaults(node: DefinitionNode | null): PolicyDefaults {
  return {
    read: node?.choiceOr('read', POLICY_ACTIONS, undefined) ?? 'allow',
    write: node?.choiceOr('write', POLICY_ACTIONS, undefined) ?? 'allow',
    onError: node?.choiceOr('on_error', ['deny', 'require_approval'], undefined) ?? 'require_approval',
    approval: node?.optionalText('approval') ?? null,
  };
}

export function compileApprovals(
  root: DefinitionNode,
  context: CompileContext,
  extras: ScopeExtras,
): Map<string, ApprovalRule> {
  const rules = new Map<string, ApprovalRule>();
  for (const [name, node] of root.objects('approvals')) {
    rules.set(name, {
      name,
      approvers: node.texts('approvers'),
      required: node.numberOr('required', 1),
      selfApproval: node.flagOr('self_approval', false),
      timeoutMs: node.durationOr('timeout', 7 * DAY_MS),
      onTimeout: node.choiceOr('on_timeout', ['reject', 'fail', 'hand_off'], 'reject'),
      onReject: node.choiceOr('on_reject', ['continue', 'fail', 'hand_off'], null),
      show: context.expressions(node, 'show', 'approvalShow', extras),
    });
  }
  return rules;
}
