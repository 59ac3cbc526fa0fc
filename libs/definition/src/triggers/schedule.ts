import { didYouMean } from '@app/kernel';
import { checkAgainstInput, type CheckContext } from '../contract/check-context.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import { choice, object, pattern, text } from '../contract/building-blocks.js';
import { isTimeZone } from '@app/cel';
import { cronProblem } from '../schedule/cron-problem.js';
import { checkInputMembers, type TriggerDescriptor, triggerId } from '../contract/trigger-descriptor.js';

export const scheduleTrigger: TriggerDescriptor<'schedule'> = {
  schema: object(
    'Starts runs at scheduled times.',
    {
      id: triggerId,
      type: text('schedule'),
      cron: pattern('Cron expression with five fields: minute, hour, day of month, month, day of week.', 'cron'),
      timezone: text('IANA time zone, such as Europe/Berlin.', { default: 'UTC' }),
      overlap: choice(
        'What happens at a fire time if the previous run of the schedule has not ended.',
        ['skip', 'queue', 'allow'],
        {
          default: 'skip',
        },
      ),
      catch_up: choice(
        'What happens after fire times were missed. `none`: no run starts. `last`: one run starts, for the latest.',
        ['none', 'last'],
        { default: 'none' },
      ),
      input: { type: 'object', description: 'The input of the run.' },
    },
    ['id', 'type', 'cron'],
  ),
  compile: (node, context) => ({
    id: node.text('id'),
    kind: 'schedule',
    cron: node.text('cron').trim(),
    timezone: node.optionalText('timezone') ?? 'UTC',
    overlap: node.choiceOr('overlap', ['skip', 'queue', 'allow'], 'skip'),
    catchUp: node.choiceOr('catch_up', ['none', 'last'], 'none'),
    input: context.template(node.raw('input') ?? {}, node.pathOf('input'), 'scheduleTrigger'),
  }),
  check(node, input) {
    checkSchedule(node, input.problems);
    checkInput(node, input);
  },
};

function checkInput(node: DefinitionNode, input: CheckContext): void {
  // If the input contains expressions, its values are unknown until the trigger fires.
  if (node.has('input') && !JSON.stringify(node.raw('input')).includes('${{'))
    checkAgainstInput(node.child('input'), input);
  else checkInputMembers(node, 'input', input);
}

function checkSchedule(node: DefinitionNode, problems: Problems): void {
  const problem = cronProblem(node.text('cron'));
  if (problem !== undefined)
    problems.error(
      node.pathOf('cron'),
      problem,
      'Write minute, hour, day of month, month and day of week, for example `0 7 * * 1-5`.',
    );
  const zone = node.optionalText('timezone');
  if (zone === null || isTimeZone(zone)) return;
  problems.error(
    node.pathOf('timezone'),
    `"${zone}" is not a time zone.`,
    didYouMean(zone, Intl.supportedValuesOf('timeZone')) ?? 'Write an IANA name: `Europe/Berlin`.',
  );
}
