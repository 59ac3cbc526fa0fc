import { list, object, text } from '../contract/building-blocks.js';
import { stepSchema, type StepDescriptor } from '../contract/step-descriptor.js';

export const handOffStep: StepDescriptor<'hand_off'> = {
  schema: stepSchema('Ends the run and hands it over to people.', {
    hand_off: object(
      'The groups that take over the run, and the reason.',
      {
        to: list('Names of the groups.', text('Name of a group.'), 20, { minItems: 1, uniqueItems: true }),
        reason: text('Reason, which the output of the run contains.'),
      },
      ['to'],
    ),
  }),
  compile(base, at) {
    const node = at.node.child('hand_off');
    return { ...base, kind: 'hand_off', to: node.texts('to'), reason: at.optionalTemplate(node, 'reason') };
  },
  check: null,
  outputType: () => 'dyn',
  blocks: null,
  isBlock: false,
  ends: true,
  isInstant: true,
  isRepeatable: false,
};
