import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { allStepNodes } from '../steps/step-nodes.js';
import { DefinitionNode } from '../contract/definition-node.js';
import {
  type ApprovalRule,
  type CompiledPolicy,
  POLICY_ACTIONS,
  type PolicyAction,
} from '../model/compiled-definition.js';
import {
  type CapabilityChange,
  change,
  type ChangeSeverity,
  type Comparison,
  isEqual,
  itemsByName,
  matchedChanges,
  memberOf,
  placeOf,
} from './capability-change.js';

export function ruleChanges(comparison: Comparison): CapabilityChange[] {
  return [
    ...policyChanges(comparison),
    ...defaultChanges(comparison),
    ...approvalChanges(comparison),
    ...approvalStepChanges(comparison),
    ...gateChanges(comparison),
    ...redactionChanges(comparison),
  ];
}

function policyChanges({ before, after }: Comparison): CapabilityChange[] {
  const byName = (policies: readonly CompiledPolicy[]) => new Map(policies.map((policy) => [policy.name, policy]));
  const written = ({ raw }: Comparison['before'], name: string) =>
    itemsByName(raw, 'policies', 'name').get(name) ?? null;
  const placeIn = ({ raw }: Comparison['before'], name: string) => placeOf(raw, 'policies', 'name', name);
  return matchedChanges([byName(before.compiled.policies), byName(after.compiled.policies)], {
    gained: (name, { action }) => {
      const severity = action === 'allow' ? 'warning' : 'info';
      const message = `Gains the policy ${name} (${action}).`;
      return change('policy_gained', severity, message, placeIn(after, name), [null, written(after, name)]);
    },
    lost: (name, { action }) => {
      const severity = action === 'allow' ? 'info' : 'critical';
      const message = `Loses the policy ${name} (${action}).`;
      return change('policy_lost', severity, message, placeIn(before, name), [written(before, name), null]);
    },
    kept: (name, one, other) => {
      const values = [written(before, name), written(after, name)] as const;
      if (isEqual(...values)) return null;
      const [severity, message] = [policySeverity(one, other), policyMessage(one, other)];
      return change('policy_changed', severity, message, placeIn(after, name), values);
    },
  });
}

function policySeverity(before: CompiledPolicy, after: CompiledPolicy): ChangeSeverity {
  if (isLooser(before.action, after.action)) return 'critical';
  return before.when.source === after.when.source && before.approval === after.approval ? 'info' : 'warning';
}

function policyMessage(before: CompiledPolicy, after: CompiledPolicy): string {
  if (before.action !== after.action) {
    const direction = isLooser(before.action, after.action) ? 'loosened' : 'tightened';
    return `The policy ${after.name} is ${direction} from ${before.action} to ${after.action}.`;
  }
  if (before.when.source === after.when.source) return `The policy ${after.name} has changed.`;
  return `The policy ${after.name} applies when \`${after.when.source}\`, no longer when \`${before.when.source}\`.`;
}

function isLooser(before: PolicyAction, after: PolicyAction): boolean {
  return POLICY_ACTIONS.indexOf(after) > POLICY_ACTIONS.indexOf(before);
}

function defaultChanges({ before, after }: Comparison): CapabilityChange[] {
  const [was, is] = [before.compiled.policyDefaults, after.compiled.policyDefaults];
  return (['read', 'write', 'onError'] as const)
    .filter((key) => was[key] !== is[key])
    .map((key) => {
      const name = key === 'onError' ? 'on_error' : key;
      const severity = isLooser(was[key], is[key]) ? 'critical' : 'info';
      const message = `The policy default \`${name}\` is ${is[key]}, no longer ${was[key]}.`;
      return change('policy_defaults_changed', severity, message, ['policy_defaults'], [was[key], is[key]]);
    });
}

function approvalChanges({ before, after }: Comparison): CapabilityChange[] {
  const raw = (definition: JsonObject, name: string): JsonValue => memberOf(definition.approvals, name);
  const path = (name: string) => ['approvals', name];
  return matchedChanges([before.compiled.approvals, after.compiled.approvals], {
    gained: (name) =>
      change('approval_gained', 'info', `Gains the approval ${name}.`, path(name), [null, raw(after.raw, name)]),
    lost: (name) =>
      change('approval_lost', 'critical', `Loses the approval ${name}.`, path(name), [raw(before.raw, name), null]),
    kept: (name, one, other) => {
      const values = [raw(before.raw, name), raw(after.raw, name)] as const;
      if (isEqual(...values)) return null;
      const loosened = loosenings(one, other);
      const message = `The approval ${name} ${loosened.length > 0 ? `is loosened: ${loosened.join(', ')}` : `has changed: ${memberChanges(...values)}`}.`;
      return change('approval_changed', loosened.length > 0 ? 'critical' : 'warning', message, path(name), values);
    },
  });
}

/** Lists the members that differ, as they are written. */
function memberChanges(before: JsonValue, after: JsonValue): string {
  const [was, is] = [isJsonObject(before) ? before : {}, isJsonObject(after) ? after : {}];
  const text = (value: JsonValue = 'not set'): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((key) => !isEqual(was[key] ?? null, is[key] ?? null))
    .map((key) => `\`${key}\` is ${text(is[key])}, was ${text(was[key])}`)
    .join('; ');
}

function loosenings(before: ApprovalRule, after: ApprovalRule): string[] {
  const more = after.approvers.filter((group) => !before.approvers.includes(group));
  return [
    ...(after.required < before.required
      ? [`${after.required} instead of ${before.required} people must approve`]
      : []),
    ...(after.selfApproval && !before.selfApproval ? ['people may approve their own runs'] : []),
    ...(more.length > 0 && before.approvers.length > 0 ? [`${more.join(', ')} may also approve`] : []),
  ];
}

function approvalStepChanges({ before, after }: Comparison): CapabilityChange[] {
  return matchedChanges([approvalSteps(before.raw), approvalSteps(after.raw)], {
    gained: (id, { path, rule }) =>
      change('approval_step_gained', 'info', `Waits for ${rule} in the step ${id}.`, path, [null, rule]),
    lost: (id, { path, rule }) =>
      change('approval_step_lost', 'critical', `No longer waits for ${rule} in the step ${id}.`, path, [rule, null]),
  });
}

function approvalSteps(raw: JsonObject): ReadonlyMap<string, { path: readonly (string | number)[]; rule: string }> {
  const steps = allStepNodes(new DefinitionNode(raw, [])).filter((step) => step.has('approval'));
  return new Map(steps.map((step) => [step.text('id'), { path: step.path, rule: step.text('approval') }]));
}

function gateChanges({ before, after }: Comparison): CapabilityChange[] {
  const [was, is] = [before, after].map(({ raw }) => memberOf(raw.evaluation, 'gate'));
  if (isEqual(was, is)) return [];
  const path = ['evaluation', 'gate'];
  const values = [was ?? null, is ?? null] as const;
  if (!isJsonObject(is))
    return [
      change('gate_lost', 'critical', 'Loses the gate: a version can be promoted without an evaluation.', path, values),
    ];
  if (!isJsonObject(was))
    return [
      change('gate_gained', 'info', 'Gains a gate: a version can be promoted only after an evaluation.', path, values),
    ];
  return [change('gate_changed', 'warning', 'The requirements of the gate have changed.', path, values)];
}

function redactionChanges({ before, after }: Comparison): CapabilityChange[] {
  const [was, is] = [before, after].map(({ compiled }) => compiled.redactPaths.map((path) => path.join('.')));
  const lost = (was ?? []).filter((path) => !(is ?? []).includes(path));
  return lost.map((path) =>
    change('redaction_lost', 'critical', `Traces no longer redact ${path}.`, ['redact'], [path, null]),
  );
}
