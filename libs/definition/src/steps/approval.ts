import { requireApproval } from '../contract/check-context.js';
import type { JsonObject } from '@app/kernel';
import { celTypeOf } from '@app/cel';
import { cel, list, pattern } from '../contract/building-blocks.js';
import { stepSchema, type StepDescriptor } from '../contract/step-descriptor.js';

/**
 * The output of the step: the decision, the e-mail addresses of the people who decided, and the comment of the last
 * decision.
 */
const DECISION: JsonObject = {
  type: 'object',
  properties: {
    decision: { type: 'string', enum: ['approve', 'reject', 'expire'] },
    decided_by: { type: 'array', items: { type: 'string' } },
    comment: {},
  },
};

export const approvalStep: StepDescriptor<'approval'> = {
  schema: stepSchema('Waits until people decide.', {
    approval: pattern('Name of an approval rule in `approvals`.', 'identifier'),
    show: list(
      'CEL expressions whose values the approver sees. Default: `show` of the rule.',
      cel('Expression of one value.'),
      50,
    ),
  }),
  compile(base, at) {
    return { ...base, kind: 'approval', approval: at.node.text('approval'), show: at.expressions(at.node, 'show') };
  },
  check(node, { compiled, problems }) {
    requireApproval(node.text('approval'), node.pathOf('approval'), compiled, problems);
  },
  outputType: () => celTypeOf(DECISION),
  outputSchema: () => DECISION,
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: false,
  isRepeatable: false,
};
