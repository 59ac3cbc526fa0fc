import { didYouMean, isJsonObject, parseDuration } from '@app/kernel';
import type { CelType } from '@app/cel';
import { any, cel, choice, dictionary, object, PATTERNS, text, whole } from '../contract/building-blocks.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import { listOf } from '../contract/check-context.js';
import { nameOfItem } from './for-each.js';
import { stepList, stepSchema, type StepCheckContext, type StepDescriptor } from '../contract/step-descriptor.js';

const CARRY = 'carry';
const MAX_ROUNDS = 10_000;

export const repeatStep: StepDescriptor<'repeat'> = {
  schema: stepSchema('Repeats steps until a condition ends the loop.', {
    repeat: object(
      'The loop. At least one of `until` and `while` is required.',
      {
        carry: dictionary(
          'Values of `carry` in the first round. Strings may contain `${{ CEL }}`.',
          PATTERNS.variable,
          any('Value in the first round.'),
        ),
        steps: stepList('Steps of each round.'),
        next: dictionary(
          'Values of `carry` for the next round. A value that is not listed here does not change.',
          PATTERNS.variable,
          any('Value in the next round.'),
        ),
        until: cel('Condition that is evaluated after each round, with the new `carry`. If it is true, the loop ends.'),
        while: cel('Condition that is evaluated before each round. If it is false, the loop ends.'),
        max: whole('Maximum number of rounds.', 1, MAX_ROUNDS),
        on_max: choice(
          'What happens after `max` rounds. fail: the step fails with `loop_limit`. continue: the step succeeds.',
          ['fail', 'continue'],
          { default: 'fail' },
        ),
        delay: text('Pause between two rounds, for example 5s. May contain `${{ CEL }}`.'),
      },
      ['steps', 'max'],
    ),
  }),
  compile(base, at) {
    const node = at.node.child('repeat');
    const scope = at.position.scope.branch('is inside a loop');
    const carried = { loop: base.id, type: typeOfCarry(node) };
    const inside = at.inside({ scope, carry: carried });
    const { loops } = at.position.callbacks;
    const beforeRound = scope.beforeRound((id) => loops.get(id)?.includes(base.id) ?? false);
    return {
      ...base,
      kind: 'repeat',
      carry: at.template(node.raw('carry') ?? {}, node.pathOf('carry')),
      // `while` is evaluated before the steps of a round and cannot read their outputs. Therefore it is compiled first.
      while: at.inside({ scope: beforeRound, carry: carried }).optionalCondition(node, 'while'),
      steps: at.steps(node, base.retry, { scope, carry: carried }),
      next: inside.optionalTemplate(node, 'next'),
      until: inside.optionalCondition(node, 'until'),
      max: node.number('max'),
      continuesAtMax: node.choiceOr('on_max', ['fail', 'continue'], 'fail') === 'continue',
      delay: inside.optionalTemplate(node, 'delay'),
    };
  },
  check: checkRepeat,
  outputType: ({ carry }) => ({
    carry: fieldsOf(isJsonObject(carry.source) ? Object.keys(carry.source) : []),
    rounds: 'double',
  }),
  blocks: { written: (node) => [node.child('repeat')], compiled: ({ steps }) => [steps] },
  isLoop: true,
  isBlock: true,
  ends: false,
  isInstant: false,
  isRepeatable: true,
};

/** Only the names of the values are known, because a value may have another type in the next round. */
function typeOfCarry(repeat: DefinitionNode): CelType {
  return fieldsOf(repeat.entries('carry').map(([name]) => name));
}

function fieldsOf(names: readonly string[]): CelType {
  return Object.fromEntries(names.map((name) => [name, 'dyn']));
}

function checkRepeat(node: DefinitionNode, context: StepCheckContext): void {
  const { problems, stepsInside } = context;
  const repeat = node.child('repeat');
  if (!repeat.has('until') && !repeat.has('while')) {
    const detail = 'The loop has neither `until` nor `while`, so nothing ends it before `max`.';
    problems.error(repeat.path, detail, 'Add a condition, for example `until: carry.cursor == ""`.', 'key');
  }
  checkNext(repeat, context);
  checkDelay(repeat, context);
  for (const inner of stepsInside(node)) {
    if (!inner.has('for_each') || nameOfItem(inner) !== CARRY) continue;
    const detail = 'Inside `repeat`, `carry` is the name of the carried values.';
    problems.error(inner.pathOf('as'), detail, 'Choose another name for the item.');
  }
}

function checkNext(repeat: DefinitionNode, { problems }: StepCheckContext): void {
  const names = repeat.entries('carry').map(([name]) => name);
  for (const [name, , path] of repeat.entries('next')) {
    if (names.includes(name)) continue;
    const all = listOf('Declared names are', names) ?? `Add \`${name}\` to \`carry\` with its first value.`;
    problems.error(path, `\`carry\` does not declare \`${name}\`.`, didYouMean(name, names) ?? all, 'key');
  }
}

function checkDelay(repeat: DefinitionNode, { problems }: StepCheckContext): void {
  const delay = repeat.optionalText('delay');
  if (delay === null || delay.includes('${{') || parseDuration(delay) !== undefined) return;
  problems.error(
    repeat.pathOf('delay'),
    `"${delay}" is not a duration.`,
    'Write a whole number and a unit: `500ms`, `20s`, `10m`, `24h` or `30d`.',
  );
}
