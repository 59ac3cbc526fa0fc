import { list, object } from '../contract/building-blocks.js';
import { stepList, stepSchema, type StepDescriptor } from '../contract/step-descriptor.js';

export const parallelStep: StepDescriptor<'parallel'> = {
  schema: stepSchema('Runs branches at the same time.', {
    parallel: list(
      'Branches, which all run at the same time.',
      object('One branch.', { steps: stepList('Steps of the branch.') }, ['steps']),
      20,
      {
        minItems: 2,
      },
    ),
  }),
  compile(base, at) {
    // A branch cannot read the outputs of other branches, because all branches run at the same time. Steps after the
    // block can read all of them.
    const scopes = at.node
      .items('parallel')
      .map((branch) => ({ branch, scope: at.position.scope.branch('runs at the same time') }));
    const branches = scopes.map(({ branch, scope }) => at.steps(branch, base.retry, { scope }));
    for (const { scope } of scopes) at.position.scope.adopt(scope);
    return { ...base, kind: 'parallel', branches };
  },
  check: null,
  outputType: () => 'list',
  blocks: { written: (node) => node.items('parallel'), compiled: ({ branches }) => branches },
  isBlock: true,
  ends: false,
  isInstant: false,
  isRepeatable: true,
};
