import { type CheckContext, listOf, resolveOperation } from '../contract/check-context.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import { cel, duration, object, pattern, text, whole } from '../contract/building-blocks.js';
import { requestSchema } from '../contract/step-descriptor.js';
import { checkArguments } from '../steps/tool.js';
import { checkInputMembers, type TriggerDescriptor, map, triggerId } from '../contract/trigger-descriptor.js';

const SHORTEST_INTERVAL_MILLIS = 10_000;
const MAX_BACKFILL = 10_000;

export const pollTrigger: TriggerDescriptor<'poll'> = {
  schema: object(
    'Calls a read operation at intervals, and starts a run for each new item in its response.',
    {
      id: triggerId,
      type: text('poll'),
      tool: pattern('The read operation, as `<tool>.<operation>`.', 'operationReference'),
      with: {
        ...requestSchema,
        description:
          'Arguments of the operation. Values may contain `${{ poll.last_at }}`, the start of the last successful poll.',
      },
      every: duration('Time from the start of one poll to the start of the next, at least 10s.'),
      items: cel('The list of items in `output`, the response of the operation.'),
      key: cel('Value that identifies an item, computed from `item`: a string, a number or a boolean.'),
      filter: cel('Condition on `item` and `output`. If it is false, the item starts no run.'),
      map,
      backfill: whole('Number of items of the first poll that start runs. Default: 0.', 0, MAX_BACKFILL),
    },
    ['id', 'type', 'tool', 'every', 'items', 'key'],
  ),
  compile: (node, context) => ({
    id: node.text('id'),
    kind: 'poll',
    operation: node.text('tool'),
    with: context.template(node.raw('with') ?? {}, node.pathOf('with'), 'pollRequest'),
    everyMs: node.durationOr('every', SHORTEST_INTERVAL_MILLIS),
    items: context.expression(node.text('items'), node.pathOf('items'), 'pollItems'),
    key: context.expression(node.text('key'), node.pathOf('key'), 'pollKey'),
    filter: context.optionalCondition(node, 'filter', 'pollTrigger'),
    map: context.optionalTemplate(node, 'map', 'pollTrigger'),
    backfill: node.numberOr('backfill', 0),
  }),
  check(node, input) {
    checkInputMembers(node, 'map', input);
    checkInterval(node, input);
    checkCall(node, input);
  },
};

function checkInterval(node: DefinitionNode, { problems }: CheckContext): void {
  if (node.durationOr('every', SHORTEST_INTERVAL_MILLIS) >= SHORTEST_INTERVAL_MILLIS) return;
  problems.error(node.pathOf('every'), 'The interval of a poll is at least 10 seconds.', 'Write `10s` or more.');
}

function checkCall(node: DefinitionNode, context: CheckContext): void {
  const { compiled, problems } = context;
  const operation = resolveOperation(node.text('tool'), node.pathOf('tool'), compiled, problems);
  if (!operation) return;
  const isAgent = compiled.tools.get(operation.tool)?.kind === 'agent';
  if (operation.scope === 'read' && !isAgent) return checkArguments(node, operation, context);
  const reads = [...compiled.operations.values()]
    .filter(({ scope, tool }) => scope === 'read' && compiled.tools.get(tool)?.kind !== 'agent')
    .map(({ fullName }) => fullName);
  const what = isAgent ? 'runs another agent' : 'is a write operation';
  problems.error(
    node.pathOf('tool'),
    `A poll must call a read operation, but \`${operation.fullName}\` ${what}.`,
    listOf('Reads are', reads) ?? 'Choose a read operation, or write `scope: read` if the operation changes nothing.',
  );
}
