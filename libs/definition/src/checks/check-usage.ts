import type { CompiledDefinition } from '../model/compiled-definition.js';
import { allStepNodes, kindOf } from '../steps/step-nodes.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { CheckContext } from '../contract/check-context.js';

export function warnAboutUnused({ root, compiled, problems }: CheckContext): void {
  const used = usedOperations(root, compiled);
  for (const [index, node] of root.items('tools').entries()) {
    const tool = compiled.tools.get(node.text('name'));
    if (!tool || used === 'all') continue;
    if ([...tool.operations.values()].some((operation) => used.has(operation.fullName))) continue;
    problems.warning(['tools', index], `No step uses the tool \`${tool.name}\`.`, 'Remove it, or call it.');
  }
  const approvalsInUse = new Set([
    ...compiled.policies.flatMap((policy) => policy.approval ?? []),
    ...[...allStepNodes(root), ...allStepNodes(root, 'on_failure')].flatMap(
      (node) => node.optionalText('approval') ?? [],
    ),
    compiled.policyDefaults.approval,
  ]);
  for (const name of compiled.approvals.keys()) {
    if (!approvalsInUse.has(name))
      problems.warning(
        ['approvals', name],
        `No policy or step uses the approval \`${name}\`.`,
        'Use it in a policy or a step, or remove it.',
      );
  }
  warnAboutUnguardedWrites(root, compiled, problems);
}

function usedOperations(root: DefinitionNode, compiled: CompiledDefinition): ReadonlySet<string> | 'all' {
  if (compiled.kind === 'model') return 'all';
  const names = new Set<string>(
    compiled.triggers.flatMap((trigger) => (trigger.kind === 'poll' ? trigger.operation : [])),
  );
  for (const node of [...allStepNodes(root), ...allStepNodes(root, 'on_failure')]) {
    if (kindOf(node) === 'tool') names.add(node.text('tool'));
    if (kindOf(node) !== 'agent') continue;
    const agent = node.child('agent');
    if (!agent.has('tools')) return 'all';
    for (const reference of agent.texts('tools')) {
      for (const { fullName, tool } of compiled.operations.values())
        if (reference === fullName || reference === tool) names.add(fullName);
    }
  }
  for (const operation of compiled.operations.values()) {
    if (operation.reconcile && names.has(operation.fullName)) names.add(operation.reconcile.operation);
  }
  return names;
}

function agentNodes(root: DefinitionNode): DefinitionNode[] {
  const steps = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  return steps.filter((node) => kindOf(node) === 'agent').map((node) => node.child('agent'));
}

/**
 * Warns if a model may choose a write operation that no policy checks. The steps of a plan need no policy, because the
 * author chose their calls. The same is true of an `agent` step that lists its tools.
 */
function warnAboutUnguardedWrites(
  root: DefinitionNode,
  compiled: CompiledDefinition,
  problems: CheckContext['problems'],
): void {
  if (compiled.kind === 'steps' || compiled.policies.length > 0 || compiled.policyDefaults.write !== 'allow') return;
  if (compiled.kind === 'mixed' && agentNodes(root).every((agent) => agent.has('tools'))) return;
  for (const [index, node] of root.items('tools').entries()) {
    const tool = compiled.tools.get(node.text('name'));
    const write = [...(tool?.operations.values() ?? [])].find((operation) => operation.scope === 'write');
    if (!write) continue;
    const detail = `The model may call the write operation \`${write.fullName}\`, and no policy checks this call.`;
    problems.warning(['tools', index], detail, 'Add a policy, or `policy_defaults: { write: require_approval }`.');
  }
}
