import fc from 'fast-check';
import { compileDefinition } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { Interpreter } from './interpreter.js';
import type { Ask, Decision, RunOutcome, Note, Outcome } from './plan.js';

/**
 * These tests check properties that must hold for each plan and each order of outcomes. Because of these properties,
 * another process can continue a run.
 */
const TOOL: JsonObject = {
  name: 'shop',
  type: 'http',
  base_url: 'https://shop.example',
  operations: [
    { name: 'get', method: 'GET', path: '/orders' },
    { name: 'pay', method: 'POST', path: '/pay' },
  ],
};

const FACTS = { input: { n: 3 }, trigger: { type: 'api' }, run: { id: 'run_1' }, agent: { name: 'test' } };

/** Generates steps without ids. `named` adds the ids. */
const steps = fc.letrec<{ step: JsonObject; list: JsonObject[] }>((tie) => ({
  list: fc.array(tie('step'), { minLength: 1, maxLength: 4, depthIdentifier: 'plan' }),
  step: fc
    .tuple(
      fc.oneof(
        { depthIdentifier: 'plan', maxDepth: 3, withCrossShrink: true },
        fc.constantFrom<JsonObject>(
          { tool: 'shop.get', with: { n: '${{ input.n }}' } },
          { tool: 'shop.get', retry: { max_attempts: 2, initial: '1s' } },
          { tool: 'shop.pay' },
          { let: { a: '${{ input.n + 1.0 }}' } },
          { assert: 'input.n == 3.0' },
          { assert: 'input.n == 4.0' },
          { output: { n: '${{ input.n }}' } },
          { wait: { for: '5m' } },
          { fail: 'no' },
          { hand_off: { to: ['people'] } },
        ),
        fc.tuple(tie('list'), tie('list')).map(([a, b]): JsonObject => ({ parallel: [{ steps: a }, { steps: b }] })),
        fc.tuple(tie('list'), tie('list')).map(([a, b]): JsonObject => ({ switch: [{ when: 'input.n > 5.0', steps: a }, { steps: b }] })),
        fc.tuple(tie('list'), fc.integer({ min: 1, max: 3 })).map(([inner, max]): JsonObject => ({ for_each: [1, 2, 3], max_parallel: max, steps: inner })),
      ),
      fc.record({ continue_on_error: fc.boolean(), if: fc.constantFrom('true', 'true', 'input.n < 0.0') }, { requiredKeys: [] }),
    )
    .map(([step, common]): JsonObject => ({ ...step, ...common })),
})); // prettier-ignore

/** Returns the plan with a unique id for each step, and with a unique name for the item of each loop. */
function named(list: readonly JsonObject[], prefix = 's'): JsonValue[] {
  return list.map((step, index) => {
    const id = `${prefix}${index}`;
    const inner = (value: JsonValue | undefined, more: string): JsonValue[] => named((value ?? []) as JsonObject[], `${id}${more}_`);
    const branches = (value: JsonValue | undefined): JsonValue[] =>
      ((value ?? []) as JsonObject[]).map((branch, at) => ({ ...branch, steps: inner(branch.steps, `b${at}`) }));
    if ('parallel' in step) return { ...step, id, parallel: branches(step.parallel) };
    if ('switch' in step) return { ...step, id, switch: branches(step.switch) };
    return 'for_each' in step ? { ...step, id, as: `item_${id}`, steps: inner(step.steps, 'e') } : { ...step, id };
  });
} // prettier-ignore

const plans = fc.record({ steps: steps.list, onFailure: fc.option(steps.list, { nil: null }) }).map(({ steps: main, onFailure }) =>
  compileDefinition({
    name: 'test',
    tools: [TOOL],
    steps: named(main),
    ...(onFailure && { on_failure: named(onFailure, 'f') }),
  }),
); // prettier-ignore

/** Creates an interpreter that continues from recorded steps, like a new attempt. */
function open(
  definition: ReturnType<typeof compileDefinition>,
  notes: readonly Note[] = [],
  workPerTurn?: number,
): Interpreter {
  const outputs = notes.filter((note) => note.type === 'output');
  const noted = new Set(notes.map((note) => note.path));
  return new Interpreter(definition, FACTS, noted, {
    output: outputs.at(-1)?.detail.output ?? null,
    ...(workPerTurn !== undefined && { workPerTurn }),
  });
}

type Decided = Exclude<Decision, { kind: 'pause' }>;

/** Returns the next decision that is not a pause, together with the notes of the pauses before it. */
function decided(interpreter: Interpreter, known: ReadonlyMap<string, Outcome>): Decided {
  const notes: Note[] = [];
  for (;;) {
    const decision = interpreter.next(known);
    notes.push(...decision.notes);
    if (decision.kind !== 'pause') return { ...decision, notes };
  }
}

const seen = (decision: Decided): { asks: string[] } | { outcome: RunOutcome } =>
  decision.kind === 'end'
    ? { outcome: decision.outcome }
    : {
        asks: decision.asks.map((ask) =>
          JSON.stringify([ask.path, ask.kind, 'request' in ask ? ask.request : null, 'try' in ask ? ask.try : 0]),
        ),
      };

/** Returns the outcome of an ask. The outcome depends only on the path and the seed, not on the order of the asks. */
function outcomeOf(ask: Ask, seed: number): Outcome {
  const isBad = [...ask.path].reduce((sum, char) => sum * 31 + char.charCodeAt(0), seed) % 5 === 0;
  if (ask.kind !== 'call') return { ok: true, output: null };
  if (!isBad) return { ok: true, output: { at: ask.path } };
  return { ok: false, error: { code: 'tool_error', message: 'no', step: ask.stepId }, tries: ask.try };
}

/**
 * Executes a plan. After each decision, supplies the outcome of one ask that has no outcome yet. Calls `each` with each
 * decision and the outcomes that were known before this decision.
 */
function carryOut(
  definition: ReturnType<typeof compileDefinition>,
  { seed, picks }: { seed: number; picks: readonly number[] },
  each: (decision: Decided, known: ReadonlyMap<string, Outcome>, noted: readonly Note[]) => void = () => undefined,
): { known: Map<string, Outcome>; noted: Note[]; outcome: RunOutcome } {
  const interpreter = open(definition);
  const known = new Map<string, Outcome>();
  const noted: Note[] = [];
  for (let turn = 0; ; turn++) {
    const before = new Map(known);
    const decision = decided(interpreter, known);
    each(decision, before, [...noted]);
    noted.push(...decision.notes);
    if (decision.kind === 'end') return { known, noted, outcome: decision.outcome };
    const { asks } = decision;
    const pick = asks[(picks[turn % picks.length] ?? 0) % asks.length];
    if (!pick || turn > 2_000) throw new Error('The plan does not end.');
    known.set(pick.path, outcomeOf(pick, seed));
  }
}

const answers = fc.record({ seed: fc.nat(1_000), picks: fc.array(fc.nat(20), { minLength: 1, maxLength: 10 }) });

describe('the interpreter, whatever the plan', () => {
  it('continues from the records of another attempt exactly where that attempt was', () => {
    fc.assert(
      fc.property(plans, answers, (definition, how) => {
        carryOut(definition, how, (decision, known, noted) => {
          expect(seen(decided(open(definition, noted), known))).toEqual(seen(decision));
        });
      }),
      { numRuns: 75 },
    );
  });

  it('decides the same however often it has to pause', () => {
    fc.assert(
      fc.property(plans, answers, fc.constantFrom(0, 10, 25, 70), (definition, how, workPerTurn) => {
        const paused = open(definition, [], workPerTurn);
        carryOut(definition, how, (decision, known) => {
          const other = decided(paused, known);
          expect(seen(other)).toEqual(seen(decision));
          expect(other.notes).toEqual(decision.notes);
        });
      }),
      { numRuns: 75 },
    );
  });

  it('asks for each path once at a time, and always for the same', () => {
    fc.assert(
      fc.property(plans, answers, (definition, how) => {
        const requests = new Map<string, string>();
        carryOut(definition, how, (decision) => {
          if (decision.kind === 'end') return;
          expect(decision.asks.length).toBeGreaterThan(0);
          const paths = decision.asks.map((ask) => ask.path);
          expect(new Set(paths).size).toBe(paths.length);
          for (const ask of decision.asks) {
            const request = JSON.stringify([ask.kind, 'request' in ask ? ask.request : null]);
            expect(requests.get(ask.path) ?? request).toBe(request);
            requests.set(ask.path, request);
          }
        });
      }),
      { numRuns: 75 },
    );
  });

  it('records nothing twice', () => {
    fc.assert(
      fc.property(plans, answers, (definition, how) => {
        const noted: string[] = [];
        carryOut(definition, how, (decision) => noted.push(...decision.notes.map((note) => note.path)));
        expect(new Set(noted).size).toBe(noted.length);
      }),
      { numRuns: 75 },
    );
  });

  it('has the same outcome when all outcomes are known at once, and asks for nothing', () => {
    fc.assert(
      fc.property(plans, answers, (definition, how) => {
        const { known, noted, outcome } = carryOut(definition, how);
        expect(seen(decided(open(definition, noted), known))).toEqual({ outcome });
      }),
      { numRuns: 75 },
    );
  });
});
