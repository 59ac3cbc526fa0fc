import type { CompiledDefinition } from '../model/compiled-definition.js';
import { allStepNodes } from '../steps/step-nodes.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems, Path } from '../contract/problems.js';
import { closest } from '@app/kernel';
import { type CheckContext, requireApproval, requireUnique } from '../contract/check-context.js';
import { checkRedaction } from './check-redaction.js';

const TOOL_NAME = /tool\.name\s*==\s*["']([^"']+)["']/g;

export function checkRules({ root, compiled, problems, maxRunSteps }: CheckContext): void {
  checkPolicies(root, compiled, problems);
  checkApprovals(root, problems);
  const limits = root.optionalChild('limits');
  if (limits) {
    checkLimits(limits, compiled, problems);
    checkMaxSteps(limits, maxRunSteps, problems);
  }
  for (const node of retriesOf(root)) checkRetry(node, problems);
  checkConcurrency(root.optionalChild('concurrency'), problems);
  checkRedaction(root, compiled, problems);
  checkGroups(root, problems);
}

function checkPolicies(root: DefinitionNode, compiled: CompiledDefinition, problems: Problems): void {
  const policies = root.items('policies');
  requireUnique(
    policies.map((node) => ({ name: node.text('name'), path: node.pathOf('name') })),
    'policies',
    problems,
  );
  for (const node of policies) {
    const asks = node.text('action') === 'require_approval';
    if (node.has('approval')) {
      requireApproval(node.text('approval'), node.pathOf('approval'), compiled, problems);
      if (!asks)
        problems.error(
          node.pathOf('approval'),
          `\`approval\` has no effect with \`action: ${node.text('action')}\`.`,
          'Write `action: require_approval`, or remove `approval`.',
          'key',
        );
    } else if (asks) {
      const [only] = compiled.approvals.size === 1 ? [...compiled.approvals.keys()] : [];
      problems.error(
        node.pathOf('action'),
        '`require_approval` needs an approval rule that says who decides.',
        only ? `Add \`approval: ${only}\`.` : 'Add `approval:` with a name below `approvals`.',
      );
    }
    warnAboutUnknownTool(node, compiled, problems);
  }
  warnAboutOverlaps(policies, problems);
  const defaults = root.optionalChild('policy_defaults');
  if (defaults?.has('approval'))
    requireApproval(defaults.text('approval'), defaults.pathOf('approval'), compiled, problems);
}

/**
 * Warns if two policies with different approval rules may match the same call. The first policy then decides who
 * approves.
 */
function warnAboutOverlaps(policies: readonly DefinitionNode[], problems: Problems): void {
  const asking = policies.filter((node) => node.text('action') === 'require_approval' && node.has('approval'));
  for (const [at, node] of asking.entries()) {
    const rule = node.text('approval');
    const before = asking.slice(0, at).find((other) => other.text('approval') !== rule && mayMeet(other, node));
    if (!before) continue;
    problems.warning(
      node.pathOf('approval'),
      `If a call also matches the policy \`${before.text('name')}\`, the approval rule \`${before.text('approval')}\` of that policy is used instead of \`${rule}\`.`,
      'Put the stricter policy first, or write conditions that exclude each other.',
    );
  }
}

/** Whether both policies may match the same call. False only if both name operations and have none in common. */
function mayMeet(one: DefinitionNode, other: DefinitionNode): boolean {
  const [ours, theirs] = [namedTools(one), namedTools(other)];
  return ours.length === 0 || theirs.length === 0 || ours.some((name) => theirs.includes(name));
}

function namedTools(node: DefinitionNode): string[] {
  return [...node.text('when').matchAll(TOOL_NAME)].flatMap(([, name]) => name ?? []);
}

/**
 * Warns about a condition that names an unknown operation, such as `tool.name == "orders.refnd"`. It is valid CEL, but
 * never true.
 */
function warnAboutUnknownTool(node: DefinitionNode, compiled: CompiledDefinition, problems: Problems): void {
  for (const name of namedTools(node)) {
    if (compiled.operations.has(name)) continue;
    const close = closest(name, compiled.operations.keys());
    problems.warning(
      node.pathOf('when'),
      `There is no operation \`${name}\`, so the policy never applies.`,
      close && `Did you mean \`${close}\`?`,
    );
  }
}

function checkApprovals(root: DefinitionNode, problems: Problems): void {
  for (const [name, node] of root.objects('approvals')) {
    if (node.has('timeout') && node.durationOr('timeout', 0) === 0) {
      problems.error(
        node.pathOf('timeout'),
        `The approval \`${name}\` has a timeout of 0, so it would expire at once.`,
        'Write a longer time, for example `24h`.',
      );
    }
  }
}

/** The task that a definition gives to a group: to decide approvals, to answer questions, or to take over runs. */
export type GroupTask = 'approve' | 'answer' | 'take_over';

export interface NamedGroup {
  readonly name: string;
  readonly task: GroupTask;
  readonly path: Path;
}

export function namedGroups(root: DefinitionNode): NamedGroup[] {
  const steps = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  const handOffs = [root, ...steps].filter((node) => node.has('hand_off'));
  return [
    ...root.objects('approvals').flatMap(([, rule]) => groupsOf(rule, 'approvers', 'approve')),
    ...steps.filter((step) => step.has('ask')).flatMap((step) => groupsOf(step.child('ask'), 'to', 'answer')),
    ...handOffs.flatMap((node) => groupsOf(node.child('hand_off'), 'to', 'take_over')),
  ];
}

function groupsOf(node: DefinitionNode, key: string, task: GroupTask): NamedGroup[] {
  return node.texts(key).map((name, index) => ({ name, task, path: [...node.pathOf(key), index] }));
}

function checkGroups(root: DefinitionNode, problems: Problems): void {
  for (const { name, path } of namedGroups(root)) {
    if (!name.includes('${{')) continue;
    problems.error(
      path,
      'The name of a group cannot contain an expression.',
      'Write the name of a group. To choose between groups, write one step for each group, with a condition in `if`.',
    );
  }
}

function checkLimits(node: DefinitionNode, { handOff, limits }: CompiledDefinition, problems: Problems): void {
  for (const key of ['max_duration', 'max_wait', 'queue_ttl']) {
    if (node.has(key) && node.durationOr(key, 0) === 0)
      problems.error(
        node.pathOf(key),
        `\`${key}\` must be more than 0.`,
        'Write a longer time, for example `10m`, or remove the key to use the default.',
      );
  }
  const budget = node.optionalChild('budget');
  if (budget && !budget.has('per_run') && !budget.has('per_day')) {
    problems.error(budget.path, 'The budget has no limit.', 'Add `per_run` or `per_day`.');
  }
  if (budget && limits.budget?.onExceeded === 'hand_off' && !handOff) {
    const detail =
      'A run that exceeds its budget would be handed off, but the definition names no group that takes over runs.';
    problems.warning(budget.pathOf('on_exceeded'), detail, 'Add `hand_off: { to: [a-group] }` to the definition.');
  }
}

function checkMaxSteps(limits: DefinitionNode, maximum: number, problems: Problems): void {
  const steps = limits.numberOr('max_steps', 0);
  if (steps <= maximum) return;
  problems.error(
    limits.pathOf('max_steps'),
    `${steps} is too large: it must be at most ${maximum}.`,
    'Write a smaller number, or ask the operator to raise MAX_RUN_STEPS.',
  );
}

function retriesOf(root: DefinitionNode): DefinitionNode[] {
  const owners = [root, ...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  return owners.flatMap((owner) => owner.optionalChild('retry') ?? []);
}

function checkRetry(node: DefinitionNode, problems: Problems): void {
  if (node.durationOr('initial', 0) > node.durationOr('max', Infinity)) {
    problems.error(
      node.pathOf('initial'),
      'The first pause (`initial`) is longer than the longest pause (`max`).',
      'Make `max` at least `initial`.',
    );
  }
}

function checkConcurrency(node: DefinitionNode | null, problems: Problems): void {
  if (!node) return;
  if (node.has('max_per_key') && !node.has('key')) {
    problems.error(node.pathOf('max_per_key'), '`max_per_key` needs a `key`.', 'Add `key: "${{ input.… }}"`.', 'key');
  }
  if (node.has('key') && !node.text('key').includes('${{')) {
    problems.warning(
      node.pathOf('key'),
      'The key does not contain an expression, so it is the same for every run.',
      'Write `"${{ input.… }}"`.',
    );
  }
}
