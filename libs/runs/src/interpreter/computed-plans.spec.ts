import { compileDefinition } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { Interpreter } from './interpreter.js';
import type { Decision, Note, Outcome } from './plan.js';
import { MAX_COMPUTED_STEPS } from './work-meter.js';

const SHOP: JsonObject = {
  name: 'shop',
  type: 'http',
  base_url: 'https://shop.example',
  operations: [{ name: 'get', method: 'GET', path: '/orders/{id}' }],
};

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

interface Carried {
  decision: Decision;
  notes: Note[];
  /** For each interval between two pauses, the number of steps that returned an output. */
  turns: number[];
}

/** Executes a plan until it asks for a call or ends. */
function carryOut(
  steps: JsonValue[],
  input: JsonObject = {},
  known: ReadonlyMap<string, Outcome> = new Map(),
): Carried {
  const facts = { input, trigger: { type: 'api' }, run: { id: 'run_1' }, agent: { name: 'test' } };
  let given = 0;
  const gave = (): void => void (given += 1);
  const definition = compileDefinition({ name: 'test', tools: [SHOP], steps });
  const interpreter = new Interpreter(definition, facts, new Set(), { gave });
  const turns: number[] = [];
  const notes: Note[] = [];
  for (;;) {
    const before = given;
    const decision = interpreter.next(known);
    turns.push(given - before);
    notes.push(...decision.notes);
    if (decision.kind !== 'pause') return { decision, notes, turns };
  }
}

const loop = (id: string, as: string, steps: JsonValue[], more: JsonObject = {}): JsonObject => ({
  id,
  for_each: '${{ input.items }}',
  as,
  steps,
  ...more,
});

const CONSTANT = { id: 'constant', let: { a: 1 } };
const FAILURE = { id: 'no', fail: 'no', continue_on_error: true };
const MANY = numbers(20).map((n) => ({ ...CONSTANT, id: `constant_${n}` }));
/** An expensive expression: its evaluation takes about 90 000 evaluation steps. */
const DEAR = 'input.items.exists(a, input.items.exists(b, a + b == -1.0))';

describe('a plan that only computes', () => {
  it('pauses after a bounded amount of work, and computes each step once', () => {
    const { decision, turns } = carryOut([loop('outer', 'a', [loop('inner', 'b', [CONSTANT])])], {
      items: numbers(100),
    });
    expect(decision).toMatchObject({ kind: 'end', outcome: { status: 'succeeded' } });
    expect(turns.length).toBeGreaterThan(5);
    expect(Math.max(...turns)).toBeLessThanOrEqual(2_000);
    expect(turns.reduce((sum, each) => sum + each, 0)).toBe(100 * 100 + 100 + 1);
  });

  it('counts the size of lists and texts that it computes as work', () => {
    const copy = { id: 'copy', let: { all: '${{ input.items }}' } };
    const rounds = { id: 'rounds', for_each: numbers(50), as: 'n', steps: [copy] };
    expect(carryOut([rounds], { items: numbers(10_000) }).turns.length).toBeGreaterThan(2);
    expect(carryOut([rounds], { items: numbers(100) }).turns.length).toBe(1);
  });

  it('pauses after each expression that takes long, also between the branches of a switch', () => {
    const branches = numbers(8).map(() => ({ when: DEAR, steps: [CONSTANT] }));
    const { decision, turns } = carryOut([{ id: 'route', switch: branches }], { items: numbers(110) });
    expect(decision).toMatchObject({ kind: 'end', outcome: { status: 'succeeded' } });
    expect(turns.length).toBeGreaterThanOrEqual(8);
  });

  it('does not ask other branches again when one of them pauses', () => {
    let asked = 0;
    const branch: JsonObject = { steps: [{ id: 'call', tool: 'shop.get', with: { id: 'a' } }] };
    class CountedOutcomes extends Map<string, Outcome> {
      override get(path: string): Outcome | undefined {
        if (path === 'call') asked += 1;
        return super.get(path);
      }
    }
    const known = new CountedOutcomes();
    const { turns } = carryOut(
      [{ id: 'both', parallel: [branch, { steps: [loop('lines', 'line', [CONSTANT])] }] }],
      { items: numbers(20_000) },
      known,
    );
    expect(turns.length).toBeGreaterThan(10);
    expect(asked).toBeLessThanOrEqual(2);
  });

  it.each([
    ['rounds of one loop', [loop('rows', 'row', [CONSTANT])], MAX_COMPUTED_STEPS + 1, 'rows', 'it has 100001 items'],
    ['rounds of one loop in another', [loop('outer', 'a', [loop('inner', 'b', [CONSTANT])])], 400, 'inner', '`outer['],
    [
      'steps that are skipped',
      [loop('outer', 'a', [loop('inner', 'b', [{ ...CONSTANT, if: 'false' }])])],
      400,
      'inner',
      '`outer[',
    ],
    [
      'steps whose failures are passed over',
      [loop('outer', 'a', [loop('inner', 'b', [FAILURE, ...MANY])])],
      400,
      'inner',
      '`outer[',
    ],
  ])('ends at the limit of computed steps, which names the loop: %s', (_what, steps, items, step, place) => {
    const { decision } = carryOut(steps, { items: numbers(items) });
    if (decision.kind !== 'end' || decision.outcome.status !== 'failed') throw new Error('It has not failed.');
    expect(decision.outcome.error).toMatchObject({ code: 'step_limit', step });
    expect(decision.outcome.error.message).toContain(place);
  });

  it('ends a loop that is too long before its first round', () => {
    const call = { id: 'call', tool: 'shop.get', with: { id: 'a' } };
    const { decision, turns } = carryOut([loop('rows', 'row', [call])], { items: numbers(MAX_COMPUTED_STEPS + 1) });
    expect(turns).toEqual([0]);
    expect(decision).toMatchObject({ kind: 'end', outcome: { error: { code: 'step_limit', step: 'rows' } } });
  });

  it('ends when the values that it keeps become too large', () => {
    const keep = { id: 'keep', let: { copy: '${{ input.text }}' } };
    const { decision } = carryOut([loop('rows', 'row', [keep])], { items: numbers(100), text: 'x'.repeat(1_000_000) });
    expect(decision).toMatchObject({ kind: 'end', outcome: { error: { code: 'step_limit', step: 'keep' } } });
  });

  it('hands over its notes at each pause', () => {
    const { notes, turns } = carryOut([loop('rows', 'row', [{ id: 'holds', assert: 'true' }])], {
      items: numbers(10_000),
    });
    expect(turns.length).toBeGreaterThan(5);
    expect(new Set(notes.map(({ path }) => path)).size).toBe(10_000);
  });
});

describe('a step that fails in a loop', () => {
  it('names the item, in each loop around it', () => {
    const check = { id: 'check', assert: 'a < 1.0 || b < 2.0', message: 'No.' };
    const { decision } = carryOut([loop('outer', 'a', [loop('inner', 'b', [check])])], { items: numbers(3) });
    expect(decision).toMatchObject({
      outcome: {
        error: {
          code: 'assertion_failed',
          step: 'check',
          message: 'No. (item 3 of 3 of `inner`) (item 2 of 3 of `outer`)',
        },
      },
    });
  });
});
