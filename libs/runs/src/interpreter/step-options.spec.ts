import { compileDefinition } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { Interpreter } from './interpreter.js';

/** An expression that fails, because the input lacks the field. */
const MISSING = '${{ input.missing }}';
const inner = (kind: string, x: unknown = 1): JsonObject => ({ id: `inner_${kind}`, let: { x } as JsonObject });

/** For each kind of step, a step that fails before it does anything. */
const FAILING: Record<string, JsonObject> = {
  tool: { tool: 'shop.read', with: { place: MISSING } },
  retrieve: { retrieve: { base: 'nowhere', query: MISSING } },
  let: { let: { x: MISSING } },
  switch: { switch: [{ when: 'input.missing == 1.0', steps: [inner('switch')] }] },
  for_each: { for_each: MISSING, steps: [inner('for_each')] },
  parallel: { parallel: ['a', 'b'].map((name) => ({ steps: [inner(name, MISSING)] })) },
  approval: { approval: 'people', show: ['input.missing'] },
  wait: { wait: { until: MISSING } },
  agent: { agent: { instructions: MISSING } },
  assert: { assert: 'input.missing == 1.0' },
  hand_off: { hand_off: { to: ['people'], reason: MISSING } },
  fail: { fail: { message: MISSING } },
  output: { output: { x: MISSING } },
};
const DONE: JsonObject = { id: 'done', output: { done: true } };

/** Executes a plan that needs no call, and returns its outcome and its notes. */
function run(steps: JsonObject[], input: JsonObject = {}) {
  const definition: JsonObject = {
    name: 'test',
    model: 'fake/priced',
    tools: [
      {
        name: 'shop',
        type: 'http',
        base_url: 'https://shop.example',
        operations: [{ name: 'read', method: 'GET', path: '/{place}' }],
      },
    ],
    approvals: { people: { approvers: ['people'], timeout: '1h', on_timeout: 'fail' } },
    steps,
  };
  const facts = { input, trigger: { type: 'api' }, run: { id: 'run_1' }, agent: { name: 'test' } };
  const interpreter = new Interpreter(compileDefinition(definition), facts, new Set());
  for (;;) {
    const decision = interpreter.next(new Map());
    if (decision.kind === 'asks') throw new Error('The plan makes a call.');
    if (decision.kind === 'end') return decision;
  }
}

describe('a step', () => {
  it('of any kind is left out where its `if` does not hold', () => {
    const steps = Object.entries(FAILING).map(([kind, step]) => ({ id: `a_${kind}`, ...step, if: 'input.go' }));
    const { outcome, notes } = run([...steps, DONE], { go: false });
    expect(outcome).toMatchObject({ status: 'succeeded', output: { done: true } });
    expect(notes.map(({ path }) => path)).toEqual(['done']);
  });

  it.each(Object.entries(FAILING))(
    'of the kind %s fails its run with its id, or lets it continue, as configured',
    (kind, step) => {
      const id = `a_${kind}`;
      const named = kind === 'parallel' ? 'inner_a' : id;
      expect(run([{ id, ...step }]).outcome).toMatchObject({
        status: 'failed',
        error: { code: 'assertion_failed', step: named },
      });
      const succeeded = { status: 'succeeded', output: { done: true } };
      const isNull = { ...DONE, output: { done: `\${{ steps.${id}.output == null }}` } };
      const { outcome, notes } = run([{ id, ...step, continue_on_error: true }, isNull]);
      expect(outcome).toMatchObject(succeeded);
      const failed = notes.filter(({ state }) => state === 'failed');
      expect(failed.map(({ path }) => path)).toEqual([`${id}#error`]);
      const conditional = { id, ...step, if: 'input.missing == 1.0', continue_on_error: true };
      expect(run([conditional, DONE]).outcome).toMatchObject(succeeded);
    },
  );
});
