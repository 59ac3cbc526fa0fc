import type { JsonObject } from '@app/kernel';
import { type AssertionKind, EVALUATION_READS, MOCKED_ERRORS } from '../model/compiled-evaluation.js';
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
} from '../contract/building-blocks.js';

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

function limit(kind: AssertionKind, description: string, maximum: JsonObject): JsonObject {
  return assertion(kind, description, { value: maximum, max: maximum }, [], {
    if: { required: ['max'] },
    then: { properties: { value: false } },
    else: { required: ['value'] },
  });
}

const operation = pattern('`<tool>.<operation>`.', 'operationReference');

const assertions: Readonly<Record<AssertionKind, JsonObject>> = {
  equals: assertion(
    'equals',
    'The checked value equals this value. Both are compared as JSON.',
    { path, value: any('Expected value.') },
    ['value'],
  ),
  contains: assertion(
    'contains',
    'The checked value contains `value`: as part of a string, as an item of a list, or as fields of an object. ' +
      'If `value` is a string and the checked value is an object, its JSON text must contain the string.',
    { path, value: any('String, item or object with fields to look for.') },
    ['value'],
  ),
  regex: assertion(
    'regex',
    'The checked value matches this pattern. An object is compared as its JSON.',
    { path, value: text('RE2 pattern.', { maxLength: 512 }) },
    ['value'],
  ),
  json_schema: assertion(
    'json_schema',
    'The checked value matches this schema.',
    { path, value: jsonSchema('Schema of the checked value.') },
    ['value'],
  ),
  cel: assertion(
    'cel',
    'The condition is true.',
    { value: cel('The condition. It can read `output`, `run`, `input`, `steps`, `trigger` and `agent`.') },
    ['value'],
  ),
  status: assertion(
    'status',
    'The run ended with this status.',
    { value: choice('Expected status.', [...ENDED, 'waiting_approval']) },
    ['value'],
  ),
  tool_called: assertion(
    'tool_called',
    'The operation was called.',
    {
      value: operation,
      with: cel('Condition on `request`. Only calls that fulfil it are counted.'),
      times: whole('Exact number of calls. Default: at least one.', 0, 1_000),
    },
    ['value'],
  ),
  not_tool_called: assertion('not_tool_called', 'The operation was not called.', { value: operation }, ['value']),
  tool_order: assertion(
    'tool_order',
    'The operations were called in this order. Other calls may be between them.',
    { value: list('The operations in the expected order.', operation, 50, { minItems: 2 }) },
    ['value'],
  ),
  approval_requested: assertion(
    'approval_requested',
    'The run requested an approval.',
    { value: text('Name of the policy or approval rule. Default: any.') },
    [],
  ),
  denied: assertion(
    'denied',
    'A policy denied a call.',
    { value: text('Name of the policy, or the denied operation as `<tool>.<operation>`. Default: any.') },
    [],
  ),
  cites: assertion(
    'cites',
    'The response of the model cites a document.',
    { value: text('Part of the title or URL of the document. Default: any document.') },
    [],
  ),
  file_shown: assertion(
    'file_shown',
    'The model saw each file in a member of the input, as an image, a document or text.',
    { value: text('Name of the member, for example `invoice`.') },
    ['value'],
  ),
  cost: limit('cost', 'The run cost at most this amount.', pattern('Maximum amount as a decimal string.', 'money')),
  latency: limit(
    'latency',
    'The active time of the run was at most this duration.',
    duration('Maximum active time of the run. The time that the run waits does not count.'),
  ),
  steps: limit(
    'steps',
    'The trace of the run has at most this number of steps.',
    whole('Maximum number of steps.', 1, 1_000),
  ),
  similar: assertion(
    'similar',
    'The checked value has a similar meaning to this text, as scored by a model.',
    {
      path,
      value: text('The text to compare with.'),
      min: number('Minimum similarity to pass, 0 to 1.', 0, 1, { default: 0.8 }),
    },
    ['value'],
  ),
  llm_rubric: assertion(
    'llm_rubric',
    'A model scores how far the run fulfils the statement.',
    {
      value: text('The statement, for example `The reply is polite.`'),
      min: number('Minimum score to pass, 0 to 1.', 0, 1, { default: 0.5 }),
    },
    ['value'],
  ),
};

const mockedAnswer = object(
  'The response to one call: either `output` or `error`.',
  {
    output: any('The output of the call.'),
    error: object(
      'The error of the call. Later steps read it as `steps.<id>.error`.',
      {
        code: choice('Code of the error.', MOCKED_ERRORS),
        status: whole('HTTP status of the response.', 100, 599),
        body: any('Body of the response.'),
      },
      ['code'],
    ),
  },
  [],
  { oneOf: [{ required: ['output'] }, { required: ['error'] }] },
);

const evaluationCase = object(
  'A run in mode test, and the assertions about it.',
  {
    name: text('Unique name of the case.', { maxLength: 200 }),
    tags: list(
      'Tags of the case. The gate can require the cases with a tag to pass.',
      text('A tag.', { maxLength: 63 }),
      20,
      { uniqueItems: true },
    ),
    input: { type: 'object', description: 'The input of the run.' },
    mock: dictionary(
      'Response of each operation in this case, by `<tool>.<operation>`.',
      PATTERNS.operationReference,
      any('The response to every call of the operation.'),
    ),
    mock_each: dictionary(
      'Responses by `<tool>.<operation>`: one for each call, in the order of the plan. Further calls get the ' +
        'last response.',
      PATTERNS.operationReference,
      list('Responses, one for each call.', mockedAnswer, 1_000, { minItems: 1 }),
    ),
    state: {
      type: 'object',
      description: 'Initial state of the run, as values by key. Default: empty.',
    },
    answers: dictionary(
      'Answer to each `ask` step and body for each `wait.callback` step, by step id. At a step without an ' +
        'entry, the run ends.',
      PATTERNS.variable,
      { type: 'object', description: 'The answer or the body.' },
    ),
    assert: list('The assertions.', ref('assertion'), 50, { minItems: 1 }),
  },
  ['name', 'input', 'assert'],
);

const gate = object('Requirements that a version must meet before it can be promoted.', {
  min_pass_rate: number('Share of trials that must pass, 0 to 1. Default: every case must pass.', 0, 1),
  confidence: number('Confidence level at which the pass rate must reach `min_pass_rate`.', 0.5, 0.999, {
    default: 0.95,
  }),
  must_pass: object(
    'Cases that must all pass.',
    { tags: list('Cases with one of these tags.', text('A tag.'), 20, { minItems: 1 }) },
    ['tags'],
  ),
  max_regressions: whole(
    'Maximum number of cases that the production version passes and the tested version fails.',
    0,
    1_000,
  ),
  max_cost_increase: number('Maximum increase of the cost over the production version: 0.25 is 25 % more.', 0, 1_000),
  max_latency_increase: number(
    'Maximum increase of the active time over the production version: 0.25 is 25 % more.',
    0,
    1_000,
  ),
  max_age: duration('Maximum age of the evaluation at the time of the promotion.'),
});

export const evaluationDefinitions: JsonObject = { assertion: byValue('type', assertions), evaluationCase };

export const evaluationProperty = object('How to test versions.', {
  trials: whole('Number of runs of each case.', 1, 200, { default: 1 }),
  reads: choice(
    'Treatment of read operations that have no mock. live: the tool is called. mock: the call fails.',
    EVALUATION_READS,
    {
      default: 'live',
    },
  ),
  cases: list('Cases to run.', ref('evaluationCase'), 200),
  from_runs: object('Recorded runs to replay, with recorded reads and simulated writes.', {
    status: choice('Status of the recorded runs.', ENDED, { default: 'succeeded' }),
    sample: whole('Maximum number of recorded runs; the latest are used.', 1, 1_000, { default: 100 }),
    max_age: duration('Maximum age of the recorded runs.', { default: '30d' }),
  }),
  gate,
});
