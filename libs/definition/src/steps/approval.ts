import { requireApproval } from '../checks/contract/check-context.js';
import { cel, list, pattern } from '../json-schema/building-blocks.js';
import { stepSchema } from './contract/step-schema.js';
import type { StepDescriptor } from './contract/step-descriptor.js';

/** Waits for people to decide. */
export const approvalStep: StepDescriptor<'approval'> = {
  schema: stepSchema('Waits for people to decide.', {
    approval: pattern('Name of an approval rule in `approvals`.', 'identifier'),
    show: list('CEL expressions. The approver sees their values.', cel('One value.'), 50),
  }),
  compile(base, at) {
    return { ...base, kind: 'approval', approval: at.node.text('approval'), show: at.expressions(at.node, 'show') };
  },
  check(node, { compiled, problems }) {
    requireApproval(node.text('approval'), node.pathOf('approval'), compiled, problems);
  },
  outputType: () => ({ decision: 'string', decided_by: 'list<string>', comment: 'dyn' }),
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: false,
  isRepeatable: false,
};
