import { parseDuration, parseInstant } from '@app/kernel';
import type { DefinitionNode } from '../compile/context/definition-node.js';
import { object, text } from '../json-schema/building-blocks.js';
import { stepSchema } from './contract/step-schema.js';
import type { StepCheckContext, StepDescriptor } from './contract/step-descriptor.js';

/** Waits without occupying a worker. */
export const waitStep: StepDescriptor<'wait'> = {
  schema: stepSchema('Waits without occupying a worker.', {
    wait: object(
      'Duration, or time to wait until.',
      { for: text('A duration such as 5m.'), until: text('An RFC 3339 time.') },
      [],
      {
        oneOf: [{ required: ['for'] }, { required: ['until'] }],
      },
    ),
  }),
  compile(base, at) {
    const node = at.node.child('wait');
    return {
      ...base,
      kind: 'wait',
      for: at.optionalTemplate(node, 'for'),
      until: at.optionalTemplate(node, 'until'),
    };
  },
  check: checkWait,
  outputType: () => 'dyn',
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: false,
  isRepeatable: false,
};

function checkWait(node: DefinitionNode, { problems }: StepCheckContext): void {
  const wait = node.child('wait');
  const duration = wait.optionalText('for');
  if (duration !== null && !duration.includes('${{') && parseDuration(duration) === undefined) {
    problems.error(
      wait.pathOf('for'),
      `"${duration}" is not a duration.`,
      'Write a whole number and a unit: `500ms`, `20s`, `10m`, `24h` or `30d`.',
    );
  }
  const until = wait.optionalText('until');
  if (until === null) return;
  if (!until.includes('${{') && parseInstant(until) === undefined) {
    problems.error(
      wait.pathOf('until'),
      `"${until}" is not a time.`,
      'Write an RFC 3339 time with an offset: `2027-01-31T08:00:00Z`.',
    );
  }
  if (node.has('timeout'))
    problems.warning(node.pathOf('timeout'), '`timeout` has no effect with `wait.until`.', 'Remove it.');
}
