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
const path = cel('The value to check, such as output.reply. Default: the whole output.');

function assertion(
  kind: AssertionKind,
  description: string,
  properties: Record<string, JsonObject>,
  required: readonly string[],
  extra: JsonObject = {},
): JsonObject {
  return object(description, { type: text(kind), ...properties }, ['type', ...required], extra);
}

/** An upper limit. Authors may write it as `value`, as in all assertions, or as `max`. */
function limit(kind: AssertionKind, description: string, maximum: JsonObject): JsonObject {
  return assertion(kind, description, { value: maximum, max: maximum }, [], {
    if: { required: ['max'] },
    then: { properties: { value: false } },
    else: { required: ['value'] },
  });
}

const operation = pattern('`<tool>.<operation>`.', 'operationReference');

const assertions: Readonly<Record<AssertionKind, JsonObject>> = {
  equals: assertion('equals', 'The value equals this one, as JSON.', { path, value: any('The value.') }, ['value']),
  contains: assertion(
    'contains',
    'A text contains this text, a list contains this value, an object has these members. An object contains a text if its JSON does.',
    { path, value: any('The part.') },
    ['value'],
  ),
  regex: assertion(
    'regex',
    'The text, or the JSON of the object, matches this pattern.',
    { path, value: text('RE2 pattern.', { maxLength: 512 }) },
    ['value'],
  ),
  json_schema: assertion('json_schema', 'The value fits this schema.', { path, value: jsonSchema('The schema.') }, [
    'value',
  ]),
  cel: assertion('cel', 'The condition is true.', { value: cel('The condition, over `output`, `run` and `input`.') }, [
    'value',
  ]),
  status: assertion(
    'status',
    'The run ended with this status.',
    { value: choice('The status.', [...ENDED, 'waiting_approval']) },
    ['value'],
  ),
  tool_called: assertion(
    'tool_called',
    'The operation was called.',
    {
      value: operation,
      with: cel('Condition on the `request` of the call.'),
      times: whole('Exact number of calls. Default: at least one.', 0, 1_000),
    },
    ['value'],
  ),
  not_tool_called: assertion('not_tool_called', 'The operation was not called.', { value: operation }, ['value']),
  tool_order: assertion(
    'tool_order',
    'The operations were called in this order.',
    { value: list('The operations.', operation, 50, { minItems: 2 }) },
    ['value'],
  ),
  approval_requested: assertion(
    'approval_requested',
    'The run requested an approval.',
    { value: text('The policy or approval rule. Default: any.') },
    [],
  ),
  denied: assertion(
    'denied',
    'A policy denied a call.',
    { value: text('The policy that denied the call, or the operation. Default: any.') },
    [],
  ),
  cites: assertion(
    'cites',
    'The answer cites a document.',
    { value: text('Part of its title or URL. Default: any document.') },
    [],
  ),
  cost: limit('cost', 'The run cost at most this.', pattern('Decimal text.', 'money')),
  latency: limit('latency', 'The run took at most this long.', duration('Active time.')),
  steps: limit('steps', 'The run took at most this many steps.', whole('Steps.', 1, 1_000)),
  similar: assertion(
    'similar',
    'The text has the same meaning.',
    {
      path,
      value: text('The text to compare with.'),
      min: number('Smallest similarity that passes, 0 to 1.', 0, 1, { default: 0.8 }),
    },
    ['value'],
  ),
  llm_rubric: assertion(
    'llm_rubric',
    'A model judges that the statement is true.',
    { value: text('The statement.'), min: number('Smallest score that passes, 0 to 1.', 0, 1, { default: 0.5 }) },
    ['value'],
  ),
};

const evaluationCase = object(
  'A case: a run in mode test and the assertions about it.',
  {
    name: text('Unique name.', { maxLength: 200 }),
    tags: list('Tags that the gate can require.', text('A tag.', { maxLength: 63 }), 20, { uniqueItems: true }),
    input: { type: 'object', description: 'The input of the run.' },
    mock: dictionary('Responses of operations in this case.', PATTERNS.operationReference, any('The response.')),
    assert: list('The assertions.', ref('assertion'), 50, { minItems: 1 }),
  },
  ['name', 'input', 'assert'],
);

const gate = object('Requirements that a version must meet before it can be promoted.', {
  min_pass_rate: number('Share of trials that must pass, 0 to 1. Default: every case must pass.', 0, 1),
  confidence: number('Confidence of the lower bound of the pass rate.', 0.5, 0.999, { default: 0.95 }),
  must_pass: object(
    'Cases that must all pass.',
    { tags: list('Cases with one of these tags.', text('A tag.'), 20, { minItems: 1 }) },
    ['tags'],
  ),
  max_regressions: whole('Most cases that the production version passes and this one fails.', 0, 1_000),
  max_cost_increase: number('Largest increase of the cost over the production version: 0.25 is 25 % more.', 0, 1_000),
  max_latency_increase: number(
    'Largest increase of the active time over the production version: 0.25 is 25 % more.',
    0,
    1_000,
  ),
  max_age: duration('Maximum age of the evaluation.'),
});

export const evaluationDefinitions: JsonObject = { assertion: byValue('type', assertions), evaluationCase };

export const evaluationProperty = object('How to test versions.', {
  trials: whole('Number of runs of each case.', 1, 200, { default: 1 }),
  reads: choice('Reads without a mock. live: call the tool. mock: fail the call.', EVALUATION_READS, {
    default: 'live',
  }),
  cases: list('The cases.', ref('evaluationCase'), 200),
  from_runs: object('Recorded runs to replay, with recorded reads and simulated writes.', {
    status: choice('Status of the recorded runs.', ENDED, { default: 'succeeded' }),
    sample: whole('Number of recorded runs.', 1, 1_000, { default: 100 }),
    max_age: duration('Maximum age of the recorded runs.', { default: '30d' }),
  }),
  gate,
});
