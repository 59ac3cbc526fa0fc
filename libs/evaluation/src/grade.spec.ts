import { compileDefinition } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { compareRuns } from './compare-runs.js';
import {
  type GradedRun,
  type GradedStep,
  grading,
  type InterruptibleWork,
  type Judgement,
  questionsAbout,
  type TrialGrade,
} from './grade.js';
import { inTurns } from './trial-grading.service.js';

const DEFINITION: JsonObject = {
  name: 'desk',
  tools: [
    {
      name: 'shop',
      type: 'http',
      base_url: 'https://shop.example',
      operations: [
        { name: 'order', method: 'GET', path: '/orders/{id}' },
        { name: 'refund', method: 'POST', path: '/refunds' },
      ],
    },
  ],
  approvals: { finance: { approvers: ['finance'] } },
  policies: [
    { name: 'big', when: 'request.amount > 100.0', action: 'require_approval', approval: 'finance' },
    { name: 'never', when: 'request.amount > 900.0', action: 'deny' },
  ],
  steps: [{ id: 'result', output: {} }],
};

const step = (path: string, overrides: Partial<GradedStep> = {}): GradedStep => ({
  path,
  type: 'tool_call',
  state: 'succeeded',
  tool: 'shop.order',
  scope: 'read',
  request: { id: '7' },
  detail: null,
  ...overrides,
});

const aRefund = (amount: number, overrides: Partial<GradedStep> = {}): GradedStep =>
  step('refund', { tool: 'shop.refund', scope: 'write', state: 'simulated', request: { amount }, ...overrides });

const aRun = (overrides: Partial<GradedRun> = {}): GradedRun => ({
  id: 'run_1',
  status: 'succeeded',
  input: { order: '7' },
  output: {
    reply: 'You get 40 EUR.',
    amount: 40,
    tags: ['refund', { a: 1 }],
    citations: [{ title: 'Refund policy', url: 'https://x/y' }],
  },
  error: null,
  costMicros: 20_000n,
  durationMs: 500,
  steps: [step('order'), aRefund(40)],
  scope: {
    trigger: { type: 'evaluation' },
    agent: { name: 'desk' },
    steps: { order: { output: { total: 40 } } },
  },
  ...overrides,
});

/** Executes the whole work in one turn of the event loop. No other work of the process runs until it has ended. */
function atOnce<Result>(work: InterruptibleWork<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

const grade = (...given: Parameters<typeof grading>): TrialGrade => atOnce(grading(...given));
const questions = (...given: Parameters<typeof questionsAbout>): number[] => atOnce(questionsAbout(...given));

const gradeOf = (assertion: JsonObject, run: GradedRun = aRun(), input: JsonObject = {}): TrialGrade => {
  const cases = [{ name: 'a', input, assert: [assertion] }];
  const { evaluation } = compileDefinition({ ...DEFINITION, evaluation: { cases } });
  return grade(evaluation!.cases[0]!.assertions, run);
};
const result = (...given: Parameters<typeof gradeOf>): string => gradeOf(...given).result;

describe('an assertion', () => {
  const asked = aRun({
    status: 'waiting_approval',
    steps: [
      step('order'),
      step('refund#approval', {
        type: 'approval',
        state: 'cancelled',
        tool: null,
        detail: { policy: 'big', rule: 'finance' },
      }),
    ],
  });
  const denied = aRun({ steps: [aRefund(901, { state: 'denied', detail: { policy: 'never' } })] });

  it.each<[JsonObject, GradedRun | undefined]>([
    [{ type: 'equals', path: 'output.amount', value: 40 }, undefined],
    [{ type: 'equals', value: { b: 1, a: [2] } }, aRun({ output: { a: [2], b: 1 } })],
    [{ type: 'contains', path: 'output.reply', value: '40 EUR' }, undefined],
    [{ type: 'contains', path: 'output.tags', value: { a: 1 } }, undefined],
    [{ type: 'regex', path: 'output.reply', value: '\\d+ EUR' }, undefined],
    [{ type: 'contains', value: '40 EUR' }, undefined],
    [{ type: 'contains', value: { amount: 40 } }, undefined],
    [{ type: 'regex', value: '\\d+ EUR' }, undefined],
    [{ type: 'json_schema', path: 'output.amount', value: { type: 'integer', maximum: 40 } }, undefined],
    [{ type: 'cel', value: 'output.amount == 40.0 && run.status == "succeeded" && input.order == "7"' }, undefined],
    [
      {
        type: 'cel',
        value: 'steps.order.output.total == 40.0 && trigger.type == "evaluation" && agent.name == "desk"',
      },
      undefined,
    ],
    [{ type: 'status', value: 'succeeded' }, undefined],
    [{ type: 'status', value: 'waiting_approval' }, asked],
    [{ type: 'tool_called', value: 'shop.refund' }, undefined],
    [{ type: 'tool_called', value: 'shop.refund', with: 'request.amount == 40.0', times: 1 }, undefined],
    [{ type: 'tool_called', value: 'shop.refund', with: 'request.amount == 41.0', times: 0 }, undefined],
    [
      { type: 'tool_called', value: 'shop.order', times: 1 },
      aRun({ steps: [step('order', { state: 'failed' }), step('order')] }),
    ],
    [{ type: 'not_tool_called', value: 'shop.refund' }, denied],
    [{ type: 'not_tool_called', value: 'shop.refund' }, asked],
    [{ type: 'tool_order', value: ['shop.order', 'shop.refund'] }, undefined],
    [{ type: 'approval_requested' }, asked],
    [{ type: 'approval_requested', value: 'big' }, asked],
    [{ type: 'approval_requested', value: 'finance' }, asked],
    [{ type: 'denied' }, denied],
    [{ type: 'denied', value: 'never' }, denied],
    [{ type: 'denied', value: 'shop.refund' }, denied],
    [{ type: 'cites' }, undefined],
    [{ type: 'cites', value: 'policy' }, undefined],
    [{ type: 'cost', max: '0.02' }, undefined],
    [{ type: 'latency', max: '500ms' }, undefined],
    [{ type: 'steps', max: 2 }, undefined],
  ])('%j passes', (assertion, run) => {
    expect(result(assertion, run)).toBe('passed');
  });

  it.each<[JsonObject, string]>([
    [
      {
        type: 'cel',
        value: 'output.amount > 40.0 && output.tags.exists(tag, tag == "b") && output.reply.contains("41")',
      },
      '`output.amount > 40.0 && output.tags.exists(tag, tag == "b") && output.reply.contains("41")` is false. ' +
        '`output.amount` is 40. `output.reply` is "You get 40 EUR.". `output.tags` is ["refund",{"a":1}].',
    ],
    [
      { type: 'cel', value: 'output.amount < 0.0 ? true : false' },
      '`output.amount < 0.0 ? true : false` is false. `output.amount` is 40.',
    ],
    [{ type: 'cel', value: '1 > 2' }, '`1 > 2` is false.'],
    [
      { type: 'tool_called', value: 'shop.refund', with: 'request.amount > 40.0' },
      'shop.refund was called 0 times with `request.amount > 40.0`. Requests of shop.refund: {"amount":40}.',
    ],
    [
      { type: 'tool_called', value: 'shop.order', with: 'request.id == "8"', times: 2 },
      'shop.order was called 0 times with `request.id == "8"`, not 2 times. Requests of shop.order: {"id":"7"}.',
    ],
  ])('%j fails with a message that shows the values', (assertion, message) => {
    expect(gradeOf(assertion).assertions).toMatchObject([{ result: 'failed', message }]);
  });

  it.each<[JsonObject, GradedRun | undefined]>([
    [{ type: 'equals', path: 'output.amount', value: '40' }, undefined],
    [{ type: 'equals', path: 'output.missing', value: 1 }, undefined],
    [{ type: 'contains', path: 'output.reply', value: '41 EUR' }, undefined],
    [{ type: 'contains', path: 'output.amount', value: 40 }, undefined],
    [{ type: 'contains', value: '41 EUR' }, undefined],
    [{ type: 'contains', value: { amount: 41 } }, undefined],
    [{ type: 'contains', value: { toString: 40 } }, undefined],
    [{ type: 'regex', value: '^\\d+ EUR' }, undefined],
    [{ type: 'regex', path: 'output.amount', value: '40' }, undefined],
    [{ type: 'json_schema', path: 'output.amount', value: { type: 'string' } }, undefined],
    [{ type: 'cel', value: 'output.amount > 40.0' }, undefined],
    [{ type: 'status', value: 'failed' }, undefined],
    [{ type: 'tool_called', value: 'shop.refund', times: 2 }, undefined],
    [{ type: 'tool_called', value: 'shop.refund', with: 'request.amount > 40.0' }, undefined],
    [{ type: 'not_tool_called', value: 'shop.refund' }, undefined],
    [{ type: 'tool_order', value: ['shop.refund', 'shop.order'] }, undefined],
    [{ type: 'approval_requested' }, undefined],
    [{ type: 'denied' }, undefined],
    [{ type: 'denied', value: 'big' }, denied],
    [{ type: 'cites', value: 'imprint' }, undefined],
    [{ type: 'cites' }, aRun({ output: null })],
    [{ type: 'cost', max: '0.01' }, undefined],
    [{ type: 'latency', max: '499ms' }, undefined],
    [{ type: 'steps', max: 1 }, undefined],
  ])('%j fails', (assertion, run) => {
    expect(result(assertion, run)).toBe('failed');
  });

  it('about a file passes if an answered model saw each file of the member', () => {
    const [invoice, photo] = ['file_01kahzvk3te9d8q6f0f1v3m2sx', 'file_01kahzvk3te9d8q6f0f1v3m2sy'];
    const input = { invoice: { file: invoice }, all: [{ file: invoice }, { file: photo }], note: 'x' };
    const asked = (state: string, ...files: JsonObject[]) =>
      step('turn[1]', { type: 'model_call', tool: null, state, detail: { files } });
    const run = aRun({
      input,
      steps: [
        asked('failed', { file: photo, shown: 'image' }),
        asked(
          'succeeded',
          { file: invoice, shown: 'text', reason: 'too_large' },
          { file: photo, shown: 'no', reason: 'type' },
        ),
      ],
    });
    const about = (value: string) => gradeOf({ type: 'file_shown', value }, run, input);
    expect(about('invoice').result).toBe('passed');
    expect(about('all').assertions).toMatchObject([
      { result: 'failed', message: `The model did not see the file ${photo} in all (type).` },
    ]);
    expect(about('note').assertions).toMatchObject([{ message: 'The member note of the input has no file.' }]);
  });

  it.each<JsonObject>([
    { type: 'similar', path: 'output.reply', value: 'You are refunded.' },
    { type: 'llm_rubric', value: 'Is kind.' },
  ])('%j cannot be decided without a model', (assertion) => {
    expect(result(assertion)).toBe('inconclusive');
  });
});

describe('what a model found about a run', () => {
  const assert: JsonObject[] = [
    { type: 'llm_rubric', value: 'Is kind.', min: 0.7 },
    { type: 'status', value: 'succeeded' },
    { type: 'similar', value: 'You are refunded.' },
  ];
  const cases = [{ name: 'a', input: {}, assert }];
  const { evaluation } = compileDefinition({ ...DEFINITION, evaluation: { cases } });
  const assertions = evaluation?.cases[0]?.assertions ?? [];
  const said = (...scores: (number | null)[]): Judgement[] =>
    scores.map((score, index) => ({ assertion: index * 2, score, message: 'Because.' }));

  it.each<[scores: (number | null)[], result: string, each: string[]]>([
    [[0.7, 0.8], 'passed', ['passed', 'passed', 'passed']],
    [[0.69, 1], 'failed', ['failed', 'passed', 'passed']],
    [[1, null], 'inconclusive', ['passed', 'passed', 'inconclusive']],
    [[0, null], 'failed', ['failed', 'passed', 'inconclusive']],
    [[], 'inconclusive', ['inconclusive', 'passed', 'inconclusive']],
  ])('decides with the scores %j', (scores, expected, each) => {
    const found = grade(assertions, aRun(), said(...scores));
    expect(found.result).toBe(expected);
    expect(found.assertions.map(({ result: one }) => one)).toEqual(each);
  });

  it('is asked for where nothing else has failed and the run can be graded', () => {
    expect(questions(assertions, aRun())).toEqual([0, 2]);
    expect(questions(assertions, aRun({ status: 'failed', error: { code: 'tool_error', message: 'x' } }))).toEqual([]);
    expect(questions(assertions, aRun({ status: 'cancelled' }))).toEqual([]);
  });
});

describe('a run that came to no end of its own', () => {
  it.each([
    aRun({ status: 'cancelled' }),
    ...['internal_error', 'worker_lost', 'queue_expired', 'provider_error'].map((code) =>
      aRun({ status: 'failed', error: { code, message: 'x' } }),
    ),
  ])('is not graded', (run) => {
    expect(grade([], run)).toMatchObject({ result: 'errored', error: expect.any(String) });
  });

  it('is graded where the failure is its own', () => {
    const run = aRun({ status: 'failed', error: { code: 'tool_error', message: 'x' } });
    expect(result({ type: 'status', value: 'failed' }, run)).toBe('passed');
  });
});

describe('the repetition of a recorded run', () => {
  const recorded = aRun({ steps: [step('order'), aRefund(40, { state: 'succeeded' })] });

  it('passes when it writes the same and ends alike', () => {
    expect(compareRuns(recorded, aRun())).toMatchObject({ result: 'passed', differences: [] });
  });

  it('lists what it reads otherwise and does not hold it against the version', () => {
    const repeated = aRun({ steps: [step('order', { request: { id: '8' } }), aRefund(40)] });
    expect(compareRuns(recorded, repeated)).toMatchObject({
      result: 'passed',
      differences: [{ kind: 'instead', path: 'order' }],
    });
  });

  it.each([
    [
      'another write',
      [step('order'), aRefund(41)],
      'instead',
      'This version would have called shop.refund with {"amount":41} instead of shop.refund with {"amount":40}.',
    ],
    [
      'one more',
      [step('order'), aRefund(40), aRefund(1, { path: 'more' })],
      'additional',
      'This version would also have called shop.refund with {"amount":1}.',
    ],
    ['one less', [step('order')], 'missing', 'This version would not have called shop.refund with {"amount":40}.'],
  ])('fails with %s', (_, steps, kind, message) => {
    expect(compareRuns(recorded, aRun({ steps }))).toMatchObject({
      result: 'failed',
      differences: [{ kind, message }],
    });
  });

  it('fails where it ends otherwise, and is not graded where it was cancelled', () => {
    expect(compareRuns(recorded, aRun({ status: 'handed_off' })).result).toBe('failed');
    expect(compareRuns(recorded, aRun({ status: 'cancelled' })).result).toBe('errored');
  });
});

describe('grading a run', () => {
  it('lets the process do other things between assertions that take long', async () => {
    const list = Array.from({ length: 100 }, (_, n) => n);
    const assertion = { type: 'cel', value: '!output.list.exists(a, output.list.exists(b, a + b == -1.0))' };
    const cases = [{ name: 'a', input: {}, assert: Array.from({ length: 5 }, () => assertion) }];
    const { evaluation } = compileDefinition({ ...DEFINITION, evaluation: { cases } });
    let turns = 0;
    const done = inTurns(grading(evaluation!.cases[0]!.assertions, aRun({ output: { list } })));
    const counting = setInterval(() => (turns += 1), 0);
    expect(await done).toMatchObject({ result: 'passed' });
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
  });
});
