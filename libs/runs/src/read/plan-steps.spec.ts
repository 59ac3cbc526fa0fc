import { compileDefinition } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { Interpreter } from '../interpreter/interpreter.js';
import type { Outcome } from '../interpreter/plan.js';
import { PlanSteps, type PlanStep } from './plan-steps.js';

const LIST = { id: 'page', tool: 'shop.list' };

/** Executes the steps. Each call gives the same answer. */
function observed(steps: JsonValue[], input: JsonObject, answer: JsonValue = {}): PlanStep[] {
  const tools = [
    {
      name: 'shop',
      type: 'http',
      base_url: 'https://shop.example',
      operations: [{ name: 'list', method: 'GET', path: '/' }],
    },
  ];
  const facts = { input, trigger: { type: 'api' }, run: { id: 'run_1' }, agent: { name: 'test' } };
  const observer = new PlanSteps();
  const interpreter = new Interpreter(compileDefinition({ name: 'test', tools, steps }), facts, new Set(), {
    observer,
  });
  const known = new Map<string, Outcome>();
  for (;;) {
    const decision = interpreter.next(known);
    if (decision.kind === 'end') return observer.all;
    if (decision.kind === 'asks') for (const { path } of decision.asks) known.set(path, { ok: true, output: answer });
  }
}

const conditionsOf = (steps: readonly PlanStep[], step: string): unknown[] =>
  steps
    .find((each) => each.step === step)!
    .conditions.map(({ key, branch, holds, trueCount, falseCount, values }) => [
      ...[key, branch ?? '-', holds, trueCount, falseCount, values],
    ]);

describe('the decisions of a plan', () => {
  it('have the result and the values of each branch up to the taken one', () => {
    const when = (condition: string, id: string): JsonObject => ({ when: condition, steps: [{ id, output: 1 }] });
    const route = {
      id: 'route',
      switch: [when('input.n > 10.0', 'a'), when('input.n > 1.0 && input.vip', 'b'), when('input.n > 0.0', 'c')],
    };
    const steps = observed([route, { id: 'note', if: 'input.vip', output: 2 }], { n: 5, vip: false });
    expect(conditionsOf(steps, 'route')).toEqual([
      ['when', 0, false, 0, 1, { 'input.n': 5 }],
      ['when', 1, false, 0, 1, { 'input.n': 5, 'input.vip': false }],
      ['when', 2, true, 1, 0, { 'input.n': 5 }],
    ]);
    expect(conditionsOf(steps, 'note')).toEqual([['if', '-', false, 0, 1, { 'input.vip': false }]]);
    expect(steps.map(({ step, done, skipped }) => [step, done, skipped])).toEqual([
      ['route', 1, 0],
      ['c', 1, 0],
      ['note', 0, 1],
    ]);
  });

  it('count the rounds of loops, and keep the values of the last round', () => {
    const each = { id: 'lines', for_each: '${{ input.lines }}', as: 'line', steps: [{ ...LIST, if: 'line.n > 1.0' }] };
    const steps = observed([each], { lines: [{ n: 1 }, { n: 2 }, { n: 3 }] });
    expect(conditionsOf(steps, 'page')).toEqual([['if', '-', true, 2, 1, { 'line.n': 3 }]]);
    expect(steps.find(({ step }) => step === 'page')).toMatchObject({ done: 2, skipped: 1 });
    const loop = {
      carry: { n: 0 },
      steps: [LIST],
      next: { n: '${{ carry.n + 1.0 }}' },
      until: 'carry.n >= 3.0',
      max: 9,
    };
    expect(conditionsOf(observed([{ id: 'poll', repeat: loop }], {}), 'poll')).toEqual([
      ['until', '-', true, 1, 2, { 'carry.n': 3 }],
    ]);
  });

  it('have a failed assertion, and the failed step', () => {
    const steps = observed([{ id: 'check', assert: 'input.n > 10.0' }], { n: 5 });
    expect(conditionsOf(steps, 'check')).toEqual([['assert', '-', false, 0, 1, { 'input.n': 5 }]]);
    expect(steps[0]).toMatchObject({ step: 'check', done: 0, failed: 1 });
  });
});
