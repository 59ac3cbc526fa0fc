import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import type { StepCheckContext } from '../contract/step-descriptor.js';
import { STEPS } from '../steps/registry.js';
import { allStepNodes, blockNodes, kindOf } from '../steps/step-nodes.js';
import { type CheckContext, requireUnique } from '../contract/check-context.js';

export function checkSteps(input: CheckContext): void {
  const { root, problems } = input;
  const nodes = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  requireUnique(
    nodes.map((node) => ({ name: node.text('id'), path: node.pathOf('id') })),
    'steps',
    problems,
  );
  const check: StepCheckContext = {
    ...input,
    stepsInside: (node) => blockNodes(node).flatMap((block) => allStepNodes(block)),
  };
  for (const node of nodes) {
    STEPS[kindOf(node)].check?.(node, check);
    for (const block of blockNodes(node)) warnAboutUnreachable(block.items('steps'), problems);
    warnAboutUselessKeys(node, problems);
  }
  for (const key of ['steps', 'on_failure']) warnAboutUnreachable(root.items(key), problems);
}

function warnAboutUselessKeys(node: DefinitionNode, problems: Problems): void {
  const kind = kindOf(node);
  if (node.has('timeout') && STEPS[kind].isInstant) {
    problems.warning(node.pathOf('timeout'), `\`timeout\` has no effect on a \`${kind}\` step.`, 'Remove it.');
  }
  if (node.has('retry') && !STEPS[kind].isRepeatable) {
    problems.warning(node.pathOf('retry'), `\`retry\` has no effect on a \`${kind}\` step.`, 'Remove it.');
  }
}

function warnAboutUnreachable(steps: readonly DefinitionNode[], problems: Problems): void {
  for (const [index, node] of steps.slice(0, -1).entries()) {
    if (!STEPS[kindOf(node)].ends || node.has('if')) continue;
    const next = steps[index + 1];
    if (!next) return;
    problems.warning(
      next.path,
      `Step \`${next.text('id')}\` never runs, because \`${node.text('id')}\` ends the run before it.`,
      'Add an `if` to the step before it, or remove this step.',
    );
    return;
  }
}
