import type { DefinitionNode } from '../contract/definition-node.js';
import { cel, list, object } from '../contract/building-blocks.js';
import { stepList, stepSchema, type StepCheckContext, type StepDescriptor } from '../contract/step-descriptor.js';

export const switchStep: StepDescriptor<'switch'> = {
  schema: stepSchema('Runs the first branch whose condition is true. If no condition is true, no branch runs.', {
    switch: list(
      'Branches, of which at most one runs.',
      object(
        'A branch. The last branch may omit `when`: it runs if no other branch runs.',
        { when: cel('Condition that decides whether the branch runs.'), steps: stepList('Steps of the branch.') },
        ['steps'],
      ),
      50,
      { minItems: 1 },
    ),
  }),
  compile(base, at) {
    // At most one branch runs, so a branch cannot read the outputs of another branch. Steps after the block can read
    // the outputs of all branches.
    const branches = at.node.items('switch').map((branch) => {
      const when = at.optionalCondition(branch, 'when');
      const scope = at.position.scope.branch('is in another branch');
      return { scope, compiled: { when, steps: at.steps(branch, base.retry, { scope }) } };
    });
    for (const { scope } of branches) at.position.scope.adopt(scope);
    return { ...base, kind: 'switch', branches: branches.map(({ compiled }) => compiled) };
  },
  check: checkBranches,
  outputType: () => 'dyn',
  blocks: {
    written: (node) => node.items('switch'),
    compiled: ({ branches }) => branches.map(({ steps }) => steps),
  },
  isBlock: true,
  ends: false,
  isInstant: false,
  isRepeatable: true,
};

function checkBranches(node: DefinitionNode, { problems }: StepCheckContext): void {
  for (const branch of node.items('switch').slice(0, -1)) {
    if (branch.has('when')) continue;
    const detail = 'This branch has no `when`, so the branches after it never run.';
    problems.error(branch.path, detail, 'Add `when`, or move the branch to the end.');
  }
}
