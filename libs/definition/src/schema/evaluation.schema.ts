import type { JsonObject } from '@app/kernel';
import { type AssertionKind, EVALUATION_READS } from '../model/compiled-evaluation.js';
import {
  any,
  byValue,
  cel,
  choice,
  dictionary,
  duration,
  jsonSchema,
  list,
  number,
  object,
  pattern,
  PATTERNS,
  ref,
  text,
  whole,
} from '../json-schema/building-blocks.js';

const ENDED = ['succeeded', 'failed', 'handed_off', 'cancelled'];
const path = cel('What to look at, such as output.reply. Left out: the whole output.');

function assertion(
  kind: AssertionKind,
  description: string,
  properties: Record<string, JsonObject>,
  required: readonly string[],
  extra: JsonObject = {},
): JsonObject {
  return object(description, { type: text(kind), ...properties }, ['type', ...required], extra);
}

/** What a run took at most: `value` like all others, or `max`, which says it. */
function limit(kind: AssertionKind, description: string, most: JsonObject): JsonObject {
  return assertion(kind, description, { value: most, max: most }, [], {
    if: { required: ['max'] },
    then: { properties: { value: false } },
    else: { required: ['value'] },
  });
}

const operation = pattern('`<tool>.<operation>`.', 'operationReference');

const assertions: Readonly<Record<AssertionKind, JsonObject>> = {
  equals: assertion('equals', 'Equal as JSON.', { path, value: any('The value.') }, ['value']),
  contains: assertion(
    'contains',
    'A text contains this text, a list this value, an object these members; an object contains a text where its JSON does.',
    { path, value: any('The part.') },
    ['value'],
  ),
  regex: assertion(
    'regex',
    'A text matches, or the JSON of an object.',
    { path, value: text('RE2 pattern.', { maxLength: 512 }) },
    ['value'],
  ),
  json_schema: assertion('json_schema', 'Fits a schema.', { path, value: jsonSchema('The schema.') }, ['value']),
  cel: assertion('cel', 'A condition holds.', { value: cel('Sees `output`, `run` and `input`.') }, ['value']),
  status: assertion('status', 'How the run ended.', { value: choice('The status.', [...ENDED, 'waiting_approval']) }, [
    'value',
  ]),
  tool_called: assertion(
    'tool_called',
    'An operation was called.',
    { value: operation, with: cel('About its `request`.'), times: whole('Exactly so often.', 0, 1_000) },
    ['value'],
  ),
  not_tool_called: assertion('not_tool_called', 'An operation was not called.', { value: operation }, ['value']),
  tool_order: assertion(
    'tool_order',
    'Operations were called in this order.',
    { value: list('The operations.', operation, 50, { minItems: 2 }) },
    ['value'],
  ),
  approval_requested: assertion(
    'approval_requested',
    'People were asked.',
    { value: text('The policy or approval that asked.') },
    [],
  ),
  denied: assertion(
    'denied',
    'A call was denied.',
    { value: text('The policy that denied it, or the operation.') },
    [],
  ),
  cites: assertion('cites', 'The answer cites a document.', { value: text('Part of its title or URL.') }, []),
  cost: limit('cost', 'The run cost at most this.', pattern('Decimal text.', 'money')),
  latency: limit('latency', 'The run took at most this long.', duration('Active time.')),
  steps: limit('steps', 'The run took at most so many steps.', whole('Steps.', 1, 1_000)),
  similar: assertion(
    'similar',
    'A text means the same.',
    { path, value: text('The text.'), min: number('Similarity.', 0, 1, { default: 0.8 }) },
    ['value'],
  ),
  llm_rubric: assertion(
    'llm_rubric',
    'A model finds that this holds.',
    { value: text('What must hold.'), min: number('Score.', 0, 1, { default: 0.5 }) },
    ['value'],
  ),
};

const evaluationCase = object(
  'One case: a run in mode test and what must hold afterwards.',
  {
    name: text('Unique name.', { maxLength: 200 }),
    tags: list('Tags, for the gate.', text('A tag.', { maxLength: 63 }), 20, { uniqueItems: true }),
    input: { type: 'object', description: 'The input of the run.' },
    mock: dictionary('What operations answer.', PATTERNS.operationReference, any('The answer.')),
    assert: list('What must hold.', ref('assertion'), 50, { minItems: 1 }),
  },
  ['name', 'input', 'assert'],
);

const gate = object('What a version must reach before it can be promoted.', {
  min_pass_rate: number('Share of the cases that pass. Left out: every case has to.', 0, 1),
  confidence: number('Confidence of the lower bound that must reach it.', 0.5, 0.999, { default: 0.95 }),
  must_pass: object(
    'Cases that must all pass.',
    { tags: list('With one of these tags.', text('A tag.'), 20, { minItems: 1 }) },
    ['tags'],
  ),
  max_regressions: whole('Cases that the production version passes and this one does not.', 0, 1_000),
  max_cost_increase: number('Against the production version: 0.25 is a quarter more.', 0, 1_000),
  max_latency_increase: number('The same of the active time.', 0, 1_000),
  max_age: duration('An older evaluation does not count.'),
});

export const evaluationDefinitions: JsonObject = { assertion: byValue('type', assertions), evaluationCase };

export const evaluationProperty = object('How versions are tested.', {
  trials: whole('How often each case runs.', 1, 200, { default: 1 }),
  reads: choice('Reads that a case has no answer for: made, or failed.', EVALUATION_READS, { default: 'live' }),
  cases: list('The cases.', ref('evaluationCase'), 200),
  from_runs: object('Recorded runs, replayed with recorded reads and simulated writes.', {
    status: choice('Only runs that ended like this.', ENDED, { default: 'succeeded' }),
    sample: whole('How many.', 1, 1_000, { default: 100 }),
    max_age: duration('Only newer ones.', { default: '30d' }),
  }),
  gate,
});
