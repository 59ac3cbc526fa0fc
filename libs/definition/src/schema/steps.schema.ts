import type { JsonObject } from '@app/kernel';
import { STEP_KINDS, type StepKind } from '../model/compiled-step.js';
import {
  any,
  byPresence,
  cel,
  duration,
  flag,
  jsonSchema,
  list,
  object,
  pattern,
  PATTERNS,
  ref,
  text,
  whole,
} from '../json-schema/building-blocks.js';

/** Members that every kind of step has. */
const common = {
  id: pattern('Unique name: later steps read `steps.<id>.output`.', 'variable'),
  if: cel('False skips the step.'),
  timeout: duration(
    'How long the step may take; of `switch`, `for_each`, `parallel` and `agent` everything inside, waiting left out.',
  ),
  retry: ref('retry', 'Instead of the retry of the definition; of a block for every step inside.'),
  continue_on_error: flag('True: a failure of this step is recorded and the plan goes on.', false),
};

function step(
  description: string,
  properties: Record<string, JsonObject>,
  required: readonly string[] = [],
): JsonObject {
  return object(description, { ...common, ...properties }, ['id', ...required]);
}

const steps = (description: string): JsonObject => list(description, ref('step'), 200, { minItems: 1 });
const request = { type: 'object', description: 'The request. Values may hold `${{ CEL }}`.' };
const show = list('What the approver sees: CEL expressions.', cel('One value.'), 50);

const kinds: Readonly<Record<StepKind, JsonObject>> = {
  tool: step('Calls one operation of a tool.', {
    tool: pattern('`<tool>.<operation>`.', 'operationReference'),
    with: request,
  }),
  retrieve: step('Looks something up in a knowledge base.', {
    retrieve: object(
      'What to look up.',
      {
        base: text('Id or unique name of the knowledge base.'),
        query: text('What to search for.'),
        top_k: whole('How many passages.', 1, 50, { default: 8 }),
      },
      ['base', 'query'],
    ),
  }),
  let: step('Computes values.', {
    let: {
      type: 'object',
      description: 'Names and values.',
      propertyNames: { pattern: PATTERNS.variable },
      minProperties: 1,
    },
  }),
  switch: step('Runs the first branch whose condition holds, or none.', {
    switch: list(
      'The branches.',
      object(
        'One branch. The last one may leave `when` out: it then runs where no other does.',
        { when: cel('The condition.'), steps: steps('What runs.') },
        ['steps'],
      ),
      50,
      { minItems: 1 },
    ),
  }),
  for_each: step(
    'Runs steps for every item of a list.',
    {
      for_each: any('The list: `${{ CEL }}` or a list written out.', { type: ['string', 'array'] }),
      as: pattern('Name of the item inside.', 'variable', { default: 'item' }),
      max_parallel: whole('How many items at a time.', 1, 100, { default: 1 }),
      steps: steps('What runs for each item.'),
    },
    ['steps'],
  ),
  parallel: step('Runs branches at the same time.', {
    parallel: list('The branches.', object('One branch.', { steps: steps('What runs.') }, ['steps']), 20, {
      minItems: 2,
    }),
  }),
  approval: step('Waits for people to decide.', { approval: pattern('A name below `approvals`.', 'identifier'), show }),
  wait: step('Waits, without holding a worker.', {
    wait: object('How long.', { for: text('A duration such as 5m.'), until: text('An RFC 3339 time.') }, [], {
      oneOf: [{ required: ['for'] }, { required: ['until'] }],
    }),
  }),
  agent: step('Lets the model work on one part of the plan.', {
    agent: object(
      'What the model does.',
      {
        instructions: text('What to do.'),
        tools: list(
          'Operations or tools it may use; all of them where this is left out.',
          pattern('`<tool>` or `<tool>.<operation>`.', 'operationName'),
          100,
        ),
        output: jsonSchema('What it must answer.'),
        max_steps: whole('How many tool calls at most.', 1, 1_000),
      },
      ['instructions'],
    ),
    with: request,
  }),
  assert: step('Fails the run unless the condition holds.', {
    assert: cel('The condition.'),
    message: text('What to say when it does not hold.'),
  }),
  hand_off: step('Ends the run by giving it to people.', {
    hand_off: object(
      'To whom and why.',
      { to: list('Groups.', text('A group.'), 20, { minItems: 1, uniqueItems: true }), reason: text('Why.') },
      ['to'],
    ),
  }),
  fail: step('Ends the run as failed.', {
    fail: object('The message, by itself or as `message`.', { message: text('The message.') }, ['message'], {
      type: ['string', 'object'],
    }),
  }),
  output: step('Sets the output of the run.', { output: any('Any value. Strings may hold `${{ CEL }}`.') }),
};

export const stepDefinitions: JsonObject = {
  step: byPresence(Object.fromEntries(STEP_KINDS.map((kind) => [kind, kinds[kind]]))),
};
