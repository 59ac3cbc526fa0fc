import { object, text } from '../contract/building-blocks.js';
import { stepSchema, type StepDescriptor } from '../contract/step-descriptor.js';

export const failStep: StepDescriptor<'fail'> = {
  schema: stepSchema('Ends the run as failed.', {
    fail: object(
      'Error message: a string, or an object with the field `message`.',
      { message: text('Error message.') },
      ['message'],
      {
        type: ['string', 'object'],
      },
    ),
  }),
  compile(base, at) {
    const written = at.node.raw('fail');
    if (typeof written === 'string')
      return { ...base, kind: 'fail', message: at.template(written, at.node.pathOf('fail')) };
    const node = at.node.child('fail');
    return { ...base, kind: 'fail', message: at.template(node.text('message'), node.pathOf('message')) };
  },
  check: null,
  outputType: () => 'dyn',
  blocks: null,
  isBlock: false,
  ends: true,
  isInstant: true,
  isRepeatable: false,
};
