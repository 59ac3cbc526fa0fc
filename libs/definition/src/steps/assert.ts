import { cel, text } from '../contract/building-blocks.js';
import { stepSchema, type StepDescriptor } from '../contract/step-descriptor.js';

export const assertStep: StepDescriptor<'assert'> = {
  schema: stepSchema('Fails the run if the condition is false.', {
    assert: cel('The condition.'),
    message: text('Error message if the condition is false.'),
  }),
  compile(base, at) {
    const condition = at.condition(at.node, 'assert');
    return { ...base, kind: 'assert', condition, message: at.optionalTemplate(at.node, 'message') };
  },
  check: null,
  outputType: () => 'bool',
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: true,
  isRepeatable: false,
};
