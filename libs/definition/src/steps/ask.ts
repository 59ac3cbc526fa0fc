import { celTypeOf } from '@app/cel';
import { cel, choice, duration, jsonSchema, list, object, text } from '../contract/building-blocks.js';
import { QUESTION_TIMEOUTS } from '../model/compiled-step.js';
import { stepSchema, type StepDescriptor } from '../contract/step-descriptor.js';

const WEEK_MS = 7 * 86_400_000;

export const askStep: StepDescriptor<'ask'> = {
  schema: stepSchema('Asks people for data and waits for their answer.', {
    ask: object(
      'The question, and who may answer it.',
      {
        to: list('Groups whose members may answer.', text('Name of a group.'), 20, { minItems: 1, uniqueItems: true }),
        form: jsonSchema('Schema of the answer, which is an object.'),
        title: text('The question. It may contain `${{ CEL }}`.'),
        show: list('CEL expressions whose values the person who answers sees.', cel('Expression of one value.'), 50),
        timeout: duration('Time until the question expires.', { default: '7d' }),
        on_timeout: choice(
          'What happens when the question expires. `continue`: the output is null.',
          QUESTION_TIMEOUTS,
          { default: 'fail' },
        ),
      },
      ['to', 'form'],
    ),
  }),
  compile(base, at) {
    const node = at.node.child('ask');
    return {
      ...base,
      kind: 'ask',
      to: node.texts('to'),
      form: at.requiredSchema(node, 'form'),
      title: at.optionalTemplate(node, 'title'),
      show: at.expressions(node, 'show'),
      waitMs: node.durationOr('timeout', WEEK_MS),
      onTimeout: node.choiceOr('on_timeout', QUESTION_TIMEOUTS, 'fail'),
    };
  },
  check(node, { problems }) {
    const ask = node.child('ask');
    const { type = 'object' } = ask.child('form').value;
    if (type !== 'object') {
      problems.error(
        [...ask.pathOf('form'), 'type'],
        'The answer to a question is an object.',
        'Write `type: object`, and put the value that you ask for into `properties`.',
      );
    }
    for (const at of [ask, node]) {
      if (!at.has('timeout') || at.durationOr('timeout', 0) > 0) continue;
      problems.error(
        at.pathOf('timeout'),
        'The question has a timeout of 0, so it would expire at once.',
        'Write a longer time, for example `24h`.',
      );
    }
  },
  // With `on_timeout: continue`, the output is null if the question is not answered in time.
  outputType: ({ form, onTimeout }) => (onTimeout === 'continue' ? 'dyn' : celTypeOf(form.schema)),
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: false,
  isRepeatable: false,
};
