import { compileDefinition } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { Interpreter } from './interpreter.js';
import type { Decision, Note, Outcome } from './plan.js';
import type { CallError } from './run-error.js';

const SHOP: JsonObject = {
  name: 'shop',
  type: 'http',
  base_url: 'https://shop.example',
  operations: [{ name: 'get', method: 'GET', path: '/orders/{id}' }],
};
const FACTS = { input: {}, trigger: { type: 'api' }, run: { id: 'run_1' }, agent: { name: 'test' } };

const call = (id: string, more: JsonObject = {}): JsonObject => ({ id, tool: 'shop.get', with: { id }, ...more });
const show = (value: JsonValue): JsonObject => ({ id: 'shown', output: value });
const RESULT = { status: '${{ steps.order.status }}', error: '${{ steps.order.error }}' };

const failed = (step: string, more: Partial<CallError> = {}): Outcome => ({
  ok: false,
  error: { code: 'tool_error', message: `${step} failed`, step, ...more },
  tries: 1,
});
const CONFLICT = failed('order', { status: 409, body: { reason: 'exists' }, permanent: true });
const ERROR = { code: 'tool_error', message: 'order failed', status: 409, body: { reason: 'exists' } };

interface Plan {
  steps: JsonValue[];
  onFailure?: JsonValue[];
  approvals?: JsonObject;
}

function interpreterOf({ steps, onFailure = [], approvals = {} }: Plan, failures = new Map<string, JsonObject>()) {
  const definition = compileDefinition({ name: 'test', tools: [SHOP], steps, on_failure: onFailure, approvals });
  return new Interpreter(definition, FACTS, new Set(failures.keys()), { failures });
}

/**
 * Executes a plan with these outcomes. Returns its last decision, its notes, and the last value of an `output` step.
 */
function carryOut(plan: Plan, known: Record<string, Outcome> = {}, failures?: Map<string, JsonObject>) {
  const interpreter = interpreterOf(plan, failures);
  const notes: Note[] = [];
  let decision: Decision;
  do {
    decision = interpreter.next(new Map(Object.entries(known)));
    notes.push(...decision.notes);
  } while (decision.kind === 'pause');
  const shown = notes.findLast(({ type }) => type === 'output')?.detail.output ?? null;
  return { decision, notes, shown };
}

describe('the result of a step', () => {
  it('is its status and no error when the step succeeded', () => {
    const { shown } = carryOut({ steps: [call('order'), show(RESULT)] }, { order: { ok: true, output: 1 } });
    expect(shown).toEqual({ status: 'succeeded', error: null });
  });

  it('is what the call answered when it failed and the plan continues', () => {
    const plan = { steps: [call('order', { continue_on_error: true }), show('${{ steps.order }}')] };
    expect(carryOut(plan, { order: CONFLICT }).shown).toEqual({ output: null, status: 'failed', error: ERROR });
    expect(carryOut(plan, { order: failed('order', { code: 'timeout' }) }).shown).toEqual({
      output: null,
      status: 'failed',
      error: { code: 'timeout', message: 'order failed', status: null, body: null },
    });
  });

  it('is the error of a step without a call, too', () => {
    const plan = { steps: [{ id: 'order', assert: '1 > 2', continue_on_error: true }, show(RESULT)] };
    expect(carryOut(plan).shown).toMatchObject({ status: 'failed', error: { code: 'assertion_failed', status: null } });
  });

  it('is `skipped` for a step whose condition is false, and for the steps inside it', () => {
    const block = { id: 'block', if: '1 > 2', switch: [{ steps: [call('order')] }] };
    const value = { ...RESULT, block: '${{ steps.block.status }}', ran: '${{ has(steps.order.output) }}' };
    expect(carryOut({ steps: [block, show(value)] }).shown).toEqual({
      status: 'skipped',
      error: null,
      block: 'skipped',
      ran: false,
    });
  });

  it('is `skipped` for the steps of branches that are not taken', () => {
    const branch = (when: string, id: string): JsonObject => ({ when, steps: [{ id, let: { a: 1 } }] });
    const choice = { id: 'choice', switch: [branch('false', 'one'), branch('true', 'two'), branch('true', 'three')] };
    const value = ['one', 'two', 'three'].map((id) => `\${{ steps.${id}.status }}`);
    expect(carryOut({ steps: [choice, show(value)] }).shown).toEqual(['skipped', 'succeeded', 'skipped']);
  });

  it('is `failed` for a block around a failed step, and `skipped` for the steps that the block did not reach', () => {
    const steps = [call('before'), call('order'), call('after')];
    const block = { id: 'block', switch: [{ steps }], continue_on_error: true };
    const value = ['block', 'before', 'order', 'after'].map((id) => `\${{ steps.${id}.status }}`);
    const shown = show([...value, '${{ steps.block.error }}', '${{ has(steps.order.output) }}']);
    expect(carryOut({ steps: [block, shown] }, { before: { ok: true, output: 1 }, order: CONFLICT }).shown).toEqual([
      'failed',
      'succeeded',
      'failed',
      'skipped',
      ERROR,
      false,
    ]);
  });

  it('can be read by the steps of on_failure', () => {
    const onFailure = [show({ ...RESULT, later: '${{ steps.later.status }}', ran: '${{ has(steps.order.output) }}' })];
    const plan = { steps: [call('order'), call('later')], onFailure };
    const { shown, decision } = carryOut(plan, { order: CONFLICT });
    expect(shown).toEqual({ status: 'failed', error: ERROR, later: 'skipped', ran: false });
    // The error of the run does not contain the response body of the tool.
    const error = { code: 'tool_error', message: 'order failed', step: 'order' };
    expect(decision).toMatchObject({ kind: 'end', outcome: { status: 'failed', error } });
  });

  it('is a failure if people rejected the call and the run continues without it', () => {
    const refusal: CallError = { code: 'approval_rejected', message: 'The approval boss was rejected.', step: 'order' };
    const plan = { steps: [call('order'), show('${{ steps.order }}')] };
    expect(carryOut(plan, { order: { ok: true, output: null, refusal } }).shown).toMatchObject({
      output: null,
      status: 'failed',
      error: { code: 'approval_rejected', status: null, body: null },
    });
  });

  it('belongs to one round inside a loop', () => {
    const steps = [
      call('order', { continue_on_error: true }),
      { id: 'said', let: { status: '${{ steps.order.status }}' } },
    ];
    const loop = { id: 'loop', for_each: '${{ [1, 2] }}', steps };
    const known = { 'loop[0].order': CONFLICT, 'loop[1].order': { ok: true as const, output: 1 } };
    expect(carryOut({ steps: [loop, show('${{ steps.loop.output }}')] }, known).shown).toEqual([
      { status: 'failed' },
      { status: 'succeeded' },
    ]);
  });
});

describe('the output of an approval', () => {
  it('is the decision, the people who decided and their comment', () => {
    const plan = {
      steps: [{ id: 'sign', approval: 'boss' }, show('${{ steps.sign.output }}')],
      approvals: { boss: { approvers: ['bosses'] } },
    };
    const output = { decision: 'reject', status: 'rejected', comment: null, decided_by: ['ada@example.com'] };
    expect(carryOut(plan, { sign: { ok: true, output } }).shown).toEqual({
      decision: 'reject',
      decided_by: ['ada@example.com'],
      comment: null,
    });
  });
});

describe('the output of a block', () => {
  const last = (condition: string): JsonObject => ({ id: 'last', if: condition, let: { a: 2 } });
  const first: JsonObject = { id: 'first', let: { a: 1 } };

  it.each<[kind: string, block: (steps: JsonValue[]) => JsonObject, skipped: JsonValue, run: JsonValue]>([
    ['for_each', (steps) => ({ id: 'block', for_each: [1], steps }), [null], [{ a: 2 }]],
    ['switch', (steps) => ({ id: 'block', switch: [{ steps }] }), null, { a: 2 }],
    [
      'parallel',
      (steps) => ({ id: 'block', parallel: [{ steps }, { steps: [call('order')] }] }),
      [null, 7],
      [{ a: 2 }, 7],
    ],
  ])('%s has the output of its last declared step, and null if that step was skipped', (_kind, block, skipped, run) => {
    const outputFor = (condition: string) => {
      const steps = [block([first, last(condition)]), show('${{ steps.block.output }}')];
      return carryOut({ steps }, { order: { ok: true, output: 7 } }).shown;
    };
    expect(outputFor('false')).toEqual(skipped);
    expect(outputFor('true')).toEqual(run);
  });

  it('has null where the last step failed', () => {
    const steps = [first, { id: 'last', fail: 'no', continue_on_error: true }];
    const plan = { steps: [{ id: 'block', for_each: [1, 2], steps }, show('${{ steps.block.output }}')] };
    expect(carryOut(plan).shown).toEqual([null, null]);
  });
});

describe('a block whose branches fail', () => {
  const both = {
    id: 'both',
    parallel: [{ steps: [call('one')] }, { steps: [call('two')] }],
    continue_on_error: true,
  };
  const steps = [both, show({ error: '${{ steps.both.error }}' })];
  const second = failed('two', { status: 404, body: 'gone' });
  const seen = { error: { code: 'tool_error', message: 'two failed', status: 404, body: 'gone' } };

  it('records which failure came first, and keeps it when the other branch fails too', () => {
    const { shown, notes } = carryOut({ steps }, { two: second });
    expect(shown).toEqual(seen);
    const note = notes.find(({ path }) => path === 'both#error');
    expect(note?.detail).toEqual({ code: 'tool_error', message: 'two failed', step: 'two', call: 'two' });
    const recorded = new Map([['both#error', note?.detail ?? {}]]);
    expect(carryOut({ steps }, { one: failed('one'), two: second }, recorded).shown).toEqual(seen);
  });

  it('shows the steps of on_failure the failure that came first', () => {
    const plan = {
      steps: [{ ...both, continue_on_error: false }],
      onFailure: [show({ error: '${{ steps.both.error }}', message: '${{ error.message }}' })],
    };
    const { shown, notes } = carryOut(plan, { two: second });
    expect(shown).toEqual({ ...seen, message: 'two failed' });
    const recorded = new Map([['both#error', notes[0]?.detail ?? {}]]);
    const repeated = carryOut(plan, { one: failed('one'), two: second }, recorded);
    expect(repeated.shown).toEqual(shown);
    expect(repeated.decision).toMatchObject({ outcome: { error: { message: 'two failed', step: 'two' } } });
  });
});
