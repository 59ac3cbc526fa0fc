import { compileDefinition, evaluationWork } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { Interpreter, type ResumeOptions } from './interpreter.js';
import type { Ask, Decision, Outcome } from './plan.js';

const SHOP: JsonObject = {
  name: 'shop',
  type: 'http',
  base_url: 'https://shop.example',
  operations: [{ name: 'list', method: 'GET', path: '/items' }],
};

const LIST = { id: 'page', tool: 'shop.list', with: { cursor: '${{ carry.cursor }}' } };
const PAGES: JsonObject = {
  carry: { cursor: '', items: [] },
  steps: [LIST],
  next: {
    cursor: '${{ steps.page.output.next }}',
    items: '${{ carry.items + steps.page.output.items }}',
  },
  until: 'carry.cursor == ""',
  max: 100,
};

interface Driven {
  asks: Ask[];
  end: Extract<Decision, { kind: 'end' }>;
}

/** Executes a plan to its end and supplies the result of each ask. */
function drive(
  steps: JsonValue[],
  answer: (ask: Ask) => JsonValue | Outcome,
  known: Map<string, Outcome> = new Map(),
  options: ResumeOptions = {},
): Driven {
  const facts = { input: {}, trigger: { type: 'api' }, run: { id: 'run_1' }, agent: { name: 'test' } };
  const definition = compileDefinition({ name: 'test', tools: [SHOP], steps });
  const interpreter = new Interpreter(definition, facts, new Set(), {
    ...options,
    release: (path) => {
      known.delete(path);
      options.release?.(path);
    },
  });
  const asks: Ask[] = [];
  for (;;) {
    const decision = interpreter.next(known);
    if (decision.kind === 'end') return { asks, end: decision };
    if (decision.kind === 'pause') continue;
    for (const ask of decision.asks) {
      asks.push(ask);
      const given = answer(ask);
      known.set(ask.path, isOutcome(given) ? given : { ok: true, output: given });
    }
  }
}

function isOutcome(given: JsonValue | Outcome): given is Outcome {
  return typeof given === 'object' && given !== null && 'ok' in given;
}

const result = (id: string): JsonObject => ({ id: 'result', output: `\${{ steps.${id}.output }}` });
const pageOf = ({ path }: Ask, pages: number): JsonValue => {
  const page = Number(/\[(\d+)\]/.exec(path)?.[1]);
  return { items: [page], next: page === pages - 1 ? '' : `p${page + 1}` };
};
const repeat = (loop: JsonObject, more: JsonObject = {}): JsonObject => ({ id: 'pages', repeat: loop, ...more });

describe('a loop that carries values', () => {
  it('passes the values of a round to the next one, and returns the last values and the number of rounds', () => {
    const { asks, end } = drive([repeat(PAGES), result('pages')], (ask) => pageOf(ask, 3));
    expect(asks.map((ask) => [ask.path, ask.kind === 'call' && ask.request])).toEqual([
      ['pages[0].page', { cursor: '' }],
      ['pages[1].page', { cursor: 'p1' }],
      ['pages[2].page', { cursor: 'p2' }],
    ]);
    expect(end.outcome).toEqual({
      status: 'succeeded',
      output: { carry: { cursor: '', items: [0, 1, 2] }, rounds: 3 },
    });
  });

  it('fails with loop_limit after `max` rounds, and succeeds with `on_max: continue`', () => {
    const limited = drive([repeat({ ...PAGES, max: 2 })], (ask) => pageOf(ask, 9));
    expect(limited.asks).toHaveLength(2);
    // The message names no round, because the failure belongs to none.
    const message = 'The loop `pages` has not ended after 2 rounds. Raise `max`, or write `on_max: continue`.';
    expect(limited.end.outcome).toMatchObject({
      status: 'failed',
      error: { code: 'loop_limit', step: 'pages', message },
    });
    const kept = drive([repeat({ ...PAGES, max: 2, on_max: 'continue' }), result('pages')], (ask) => pageOf(ask, 9));
    expect(kept.end.outcome).toMatchObject({ output: { carry: { cursor: 'p2', items: [0, 1] }, rounds: 2 } });
  });

  it('does not fail if the last allowed round ends it', () => {
    expect(drive([repeat({ ...PAGES, max: 3 })], (ask) => pageOf(ask, 3)).end.outcome.status).toBe('succeeded');
    const counted = { carry: { n: 0 }, steps: [{ id: 'one', let: { a: 1 } }], next: { n: '${{ carry.n + 1.0 }}' } };
    const { end } = drive([repeat({ ...counted, while: 'carry.n < 3.0', max: 3 }), result('pages')], () => null);
    expect(end.outcome).toMatchObject({ output: { carry: { n: 3 }, rounds: 3 } });
  });

  it('judges `while` before the first round, so that there may be no round', () => {
    const loop = { carry: { go: false }, steps: [LIST], while: 'carry.go', max: 5 };
    const { asks, end } = drive([repeat(loop), result('pages')], () => null);
    expect(asks).toEqual([]);
    expect(end.outcome).toMatchObject({ output: { carry: { go: false }, rounds: 0 } });
  });

  it('keeps the values that `next` leaves out, and needs neither `carry` nor `next`', () => {
    const loop = {
      carry: { a: 1, b: 1 },
      steps: [{ id: 'one', let: { x: 5 } }],
      next: { b: '${{ steps.one.output.x }}' },
    };
    const { end } = drive([repeat({ ...loop, until: 'carry.b == 5.0', max: 2 }), result('pages')], () => null);
    expect(end.outcome).toMatchObject({ output: { carry: { a: 1, b: 5 }, rounds: 1 } });
    const bare = { steps: [{ id: 'poll', tool: 'shop.list' }], until: 'steps.poll.output.done', max: 9 };
    const polled = drive([repeat(bare), result('pages')], ({ path }) => ({ done: path === 'pages[2].poll' }));
    expect(polled.end.outcome).toMatchObject({ output: { carry: {}, rounds: 3 } });
  });

  it('has the values of the innermost loop in `carry`, whose first values see those of the outer loop', () => {
    const inner = {
      carry: { n: '${{ carry.n * 10.0 }}' },
      steps: [{ id: 'add', let: { n: '${{ carry.n + 1.0 }}' } }],
      next: { n: '${{ steps.add.output.n }}' },
      until: 'carry.n >= 12.0',
      max: 5,
    };
    const outer = {
      carry: { n: 1 },
      steps: [{ id: 'inner', repeat: inner }],
      next: { n: '${{ carry.n + steps.inner.output.carry.n }}' },
      until: 'true',
      max: 1,
    };
    const { end } = drive([repeat(outer), result('pages')], () => null);
    expect(end.outcome).toMatchObject({ output: { carry: { n: 13 }, rounds: 1 } });
  });

  it('waits between the rounds, and neither before the first round nor after the last one', () => {
    const { asks } = drive([repeat({ ...PAGES, delay: '${{ "5" + "s" }}' })], (ask) =>
      ask.kind === 'wait' ? null : pageOf(ask, 3),
    );
    expect(asks.map(({ kind, path }) => [kind, path])).toEqual([
      ['call', 'pages[0].page'],
      ['wait', 'pages[0]'],
      ['call', 'pages[1].page'],
      ['wait', 'pages[1]'],
      ['call', 'pages[2].page'],
    ]);
    expect(asks[1]).toMatchObject({ forMs: 5_000, stepId: 'pages', isDelay: true });
    const limited = drive([repeat({ ...PAGES, delay: '5s', max: 2 })], (ask) =>
      ask.kind === 'wait' ? null : pageOf(ask, 3),
    );
    expect(limited.asks.filter(({ kind }) => kind === 'wait')).toHaveLength(1);
  });

  it('computes the delay from the new values', () => {
    const loop = { ...PAGES, carry: { cursor: '', items: [] }, delay: '${{ string(size(carry.items)) }}s' };
    const { asks } = drive([repeat(loop)], (ask) => (ask.kind === 'wait' ? null : pageOf(ask, 3)));
    expect(asks.flatMap((ask) => (ask.kind === 'wait' ? [ask.forMs] : []))).toEqual([1_000, 2_000]);
    const bad = drive([repeat({ ...PAGES, delay: '${{ carry.cursor }}' })], (ask) => pageOf(ask, 3));
    expect(bad.end.outcome).toMatchObject({ status: 'failed', error: { code: 'assertion_failed', step: 'pages' } });
  });

  it('names the round in the message of a failure', () => {
    const error = { code: 'tool_error' as const, message: 'The shop answered 500.', step: 'page' };
    const { end } = drive([repeat(PAGES)], (ask) =>
      ask.path === 'pages[1].page' ? { ok: false, error, tries: 1 } : pageOf(ask, 3),
    );
    const message = 'The shop answered 500. (round 2 of `pages`)';
    expect(end.outcome).toMatchObject({ status: 'failed', error: { code: 'tool_error', step: 'page', message } });
  });

  it('fails in a step that may fail without ending the run', () => {
    const steps = [repeat({ ...PAGES, max: 1 }, { continue_on_error: true }), { id: 'after', output: 'after' }];
    expect(drive(steps, (ask) => pageOf(ask, 9)).end.outcome).toEqual({ status: 'succeeded', output: 'after' });
  });

  it('continues after its recorded rounds without asking for them again', () => {
    const known = new Map<string, Outcome>(
      [0, 1].map((n) => [`pages[${n}].page`, { ok: true, output: { items: [n], next: `p${n + 1}` } }]),
    );
    const { asks, end } = drive([repeat(PAGES), result('pages')], (ask) => pageOf(ask, 3), known);
    expect(asks.map(({ path }) => path)).toEqual(['pages[2].page']);
    expect(end.outcome).toMatchObject({ output: { carry: { items: [0, 1, 2] }, rounds: 3 } });
  });

  it('runs inside of the items of a list, and contains lists itself', () => {
    const each = { id: 'each', for_each: ['a', 'b'], as: 'shop', steps: [repeat(PAGES)] };
    const { asks, end } = drive([each, result('each')], (ask) => {
      const [, page] = /pages\[(\d)\]/.exec(ask.path) ?? [];
      return { items: [ask.path], next: page === '1' ? '' : 'p1' };
    });
    expect(asks.map(({ path }) => path)).toEqual([
      'each[0].pages[0].page',
      'each[0].pages[1].page',
      'each[1].pages[0].page',
      'each[1].pages[1].page',
    ]);
    expect(end.outcome).toMatchObject({ output: [{ rounds: 2 }, { rounds: 2 }] });
    const within = { id: 'items', for_each: '${{ [1, 2] }}', steps: [{ id: 'twice', let: { n: '${{ item }}' } }] };
    const loop = { carry: { all: [] }, steps: [within], next: { all: '${{ carry.all + steps.items.output }}' } };
    const nested = drive([repeat({ ...loop, until: 'size(carry.all) > 3', max: 9 }), result('pages')], () => null);
    expect(nested.end.outcome).toMatchObject({
      output: { rounds: 2, carry: { all: [{ n: 1 }, { n: 2 }, { n: 1 }, { n: 2 }] } },
    });
  });

  it('does not keep the outcomes of its finished rounds in memory', () => {
    const known = new Map<string, Outcome>();
    let most = 0;
    drive(
      [repeat({ ...PAGES, next: { cursor: '${{ steps.page.output.next }}' }, max: 1_000 })],
      (ask) => {
        most = Math.max(most, known.size);
        return pageOf(ask, 1_000);
      },
      known,
    );
    expect(most).toBeLessThanOrEqual(1);
    expect(known.size).toBe(0);
  });

  it('does the same work in each of many rounds', () => {
    const loop = { ...PAGES, next: { cursor: '${{ steps.page.output.next }}' }, max: 10_000 };
    const workOf = (rounds: number): number => {
      const before = evaluationWork().cost;
      drive([repeat(loop)], (ask) => pageOf(ask, rounds));
      return evaluationWork().cost - before;
    };
    expect(workOf(4_000) / workOf(400)).toBeCloseTo(10, 0);
  });
});
