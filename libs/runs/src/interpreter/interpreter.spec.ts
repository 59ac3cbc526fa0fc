import { compileDefinition } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { Interpreter } from './interpreter.js';
import type { Decision, Outcome } from './plan.js';

const SHOP: JsonObject = {
  name: 'shop',
  type: 'http',
  base_url: 'https://shop.example',
  operations: [
    { name: 'get', method: 'GET', path: '/orders/{id}', request: { type: 'object', required: ['id'] } },
    { name: 'pay', method: 'POST', path: '/orders/{id}/pay' },
  ],
};

function interpret(
  steps: JsonValue[],
  options: {
    input?: JsonObject;
    noted?: string[];
    output?: JsonObject;
    approvals?: JsonObject;
    onFailure?: JsonValue[];
    more?: JsonObject;
  } = {},
) {
  const definition: JsonObject = { name: 'test', tools: [SHOP], steps, ...options.more };
  if (options.output) definition.output = options.output;
  if (options.approvals) definition.approvals = options.approvals;
  if (options.onFailure) definition.on_failure = options.onFailure;
  const facts = { input: options.input ?? {}, trigger: { type: 'api' }, run: { id: 'run_1' }, agent: { name: 'test' } };
  return new Interpreter(compileDefinition(definition), facts, new Set(options.noted));
}

const outcomes = (known: Record<string, JsonValue>): Map<string, Outcome> =>
  new Map(Object.entries(known).map(([path, output]) => [path, { ok: true, output }]));

/** Returns the next decision that is not a pause. */
function decide(interpreter: Interpreter, known: Map<string, Outcome>): Exclude<Decision, { kind: 'pause' }> {
  for (;;) {
    const decision = interpreter.next(known);
    if (decision.kind !== 'pause') return decision;
  }
}

/** Executes a plan to its end and supplies the result of each call. Returns the order of the calls and the outcome. */
function drive(interpreter: Interpreter, answer: (path: string, request: JsonObject) => JsonValue) {
  const known = new Map<string, Outcome>();
  const calls: string[] = [];
  let decision = decide(interpreter, known);
  while (decision.kind === 'asks') {
    for (const ask of decision.asks) {
      if (ask.kind !== 'call') throw new Error(`unexpected ${ask.kind} at ${ask.path}`);
      calls.push(ask.path);
      known.set(ask.path, { ok: true, output: answer(ask.path, ask.request) });
    }
    decision = decide(interpreter, known);
  }
  return { calls, outcome: decision.outcome, notes: decision.notes };
}

const GET = { id: 'order', tool: 'shop.get', with: { id: '${{ input.id }}' } };
const PAY = {
  id: 'paid',
  tool: 'shop.pay',
  with: { id: '${{ input.id }}', amount: '${{ steps.order.output.total }}' },
};

describe('the interpreter', () => {
  it('asks for one call after the other, with requests made from what is known by then', () => {
    const requests: JsonObject[] = [];
    const run = drive(
      interpret([GET, PAY, { id: 'end', output: { paid: '${{ steps.paid.output }}' } }], { input: { id: 'a' } }),
      (path, request) => {
        requests.push(request);
        return path === 'order' ? { total: 40 } : true;
      },
    );
    expect(run.calls).toEqual(['order', 'paid']);
    expect(requests).toEqual([{ id: 'a' }, { id: 'a', amount: 40 }]);
    expect(run.outcome).toEqual({ status: 'succeeded', output: { paid: true } });
  });

  it('continues after recorded calls without asking for them again', () => {
    const interpreter = interpret([GET, PAY], { input: { id: 'a' } });
    const decision = interpreter.next(outcomes({ order: { total: 40 } }));
    expect(decision).toMatchObject({ kind: 'asks', asks: [{ path: 'paid', request: { id: 'a', amount: 40 } }] });
  });

  it('asks again for a call that has no outcome yet', () => {
    const interpreter = interpret([GET], { input: { id: 'a' } });
    expect(interpreter.next(new Map())).toEqual(interpreter.next(new Map()));
  });

  it('computes values with let and takes the first branch of a switch that applies', () => {
    const steps: JsonObject[] = [
      { id: 'sums', let: { net: '${{ input.total - input.tax }}' } },
      {
        id: 'route',
        switch: [
          { when: 'steps.sums.output.net > 100.0', steps: [{ id: 'big', output: { size: 'big' } }] },
          { when: 'true', steps: [{ id: 'small', output: { size: 'small' } }] },
        ],
      },
    ];
    const outcome = (input: JsonObject) => drive(interpret(steps, { input }), () => null).outcome;
    expect(outcome({ total: 200, tax: 20 })).toMatchObject({ output: { size: 'big' } });
    expect(outcome({ total: 100, tax: 20 })).toMatchObject({ output: { size: 'small' } });
  });

  it('skips a step whose condition does not hold', () => {
    const run = drive(interpret([{ ...GET, if: 'input.look' }], { input: { id: 'a', look: false } }), () => null);
    expect(run).toMatchObject({ calls: [], outcome: { status: 'succeeded' } });
  });

  it('fails the run with the step, the code and the message of a call that failed', () => {
    const interpreter = interpret([GET], { input: { id: 'a' } });
    const error = { code: 'tool_error' as const, message: 'shop.get answered 500', step: 'order' };
    const decision = interpreter.next(new Map([['order', { ok: false, error, tries: 1 }]]));
    expect(decision).toMatchObject({ kind: 'end', outcome: { status: 'failed', error } });
  });

  it('fails with assertion_failed when an assertion does not hold, and notes each assertion', () => {
    const steps = [
      { id: 'fine', assert: 'input.total > 0.0' },
      { id: 'wrong', assert: 'input.total < 10.0' },
    ];
    const run = drive(interpret(steps, { input: { total: 40 } }), () => null);
    expect(run.outcome).toMatchObject({ status: 'failed', error: { code: 'assertion_failed', step: 'wrong' } });
    expect(run.notes.map((note) => `${note.type} ${note.path} ${note.state}`)).toEqual([
      'assertion fine succeeded',
      'assertion wrong failed',
      'error  failed',
    ]);
  });

  it('makes no note that an earlier attempt recorded', () => {
    const interpreter = interpret([{ id: 'fine', assert: 'true' }, GET], { input: { id: 'a' }, noted: ['fine'] });
    expect(interpreter.next(new Map()).notes).toEqual([]);
  });

  it('fails on purpose with a fail step', () => {
    const run = drive(
      interpret([{ id: 'stop', fail: 'No order ${{ input.id }}' }], { input: { id: 'a' } }),
      () => null,
    );
    expect(run.outcome).toMatchObject({ status: 'failed', error: { message: 'No order a', step: 'stop' } });
  });

  it('sends nothing that does not fit the request schema of the operation', () => {
    const run = drive(
      interpret(
        [
          { id: 'order', tool: 'shop.get', with: { id: '${{ input.id }}', x: 1 } },
          { id: 'b', tool: 'shop.get', with: {} },
        ],
        { input: { id: 'a' } },
      ),
      () => null,
    );
    expect(run.calls).toEqual(['order']);
    expect(run.outcome).toMatchObject({ status: 'failed', error: { code: 'tool_error', step: 'b' } });
  });

  it('fails with the step when an expression meets a missing field', () => {
    const run = drive(interpret([{ id: 'sums', let: { net: '${{ input.total }}' } }]), () => null);
    expect(run.outcome).toMatchObject({ status: 'failed', error: { step: 'sums' } });
  });

  it('fails with output_invalid when the output does not fit the schema of the definition', () => {
    const output = { type: 'object', required: ['paid'], properties: { paid: { type: 'boolean' } } };
    const run = drive(interpret([{ id: 'end', output: { paid: 'yes' } }], { output }), () => null);
    expect(run.outcome).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } });
  });

  it('carries out on_failure where the output does not fit', () => {
    const onFailure = [{ id: 'alarm', tool: 'shop.get', with: { id: '${{ error.code }}' } }];
    const plan = interpret([{ id: 'end', output: 'no' }], { output: { type: 'object' }, onFailure });
    const run = drive(plan, () => null);
    expect(run.calls).toEqual(['alarm']);
    expect(run.outcome).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } });
  });

  describe('side by side', () => {
    const lines = {
      id: 'lines',
      for_each: '${{ input.items }}',
      as: 'line',
      max_parallel: 2,
      steps: [{ id: 'look', tool: 'shop.get', with: { id: '${{ line }}' } }],
    };

    it('asks for as many rounds of a loop at a time as it may, each under a path of its own', () => {
      const interpreter = interpret([lines], { input: { items: ['a', 'b', 'c'] } });
      const paths = (known: Record<string, JsonValue>) => {
        const decision = decide(interpreter, outcomes(known));
        return decision.kind === 'asks' ? decision.asks.map((ask) => ask.path) : decision.outcome;
      };
      expect(paths({})).toEqual(['lines[0].look', 'lines[1].look']);
      expect(paths({ 'lines[1].look': 2 })).toEqual(['lines[0].look', 'lines[2].look']);
      expect(paths({ 'lines[1].look': 2, 'lines[0].look': 1, 'lines[2].look': 3 })).toMatchObject({
        status: 'succeeded',
      });
    });

    it('gives the outputs of a loop in the order of its items, however they came in', () => {
      const interpreter = interpret([lines, { id: 'end', output: { all: '${{ steps.lines.output }}' } }], {
        input: { items: ['a', 'b'] },
      });
      interpreter.next(new Map());
      interpreter.next(outcomes({ 'lines[1].look': 'B' }));
      const decision = interpreter.next(outcomes({ 'lines[1].look': 'B', 'lines[0].look': 'A' }));
      expect(decision).toMatchObject({ kind: 'end', outcome: { output: { all: ['A', 'B'] } } });
    });

    it('lets later steps see what parallel branches produced, but not branches each other', () => {
      const branch = (id: string) => ({ steps: [{ id, tool: 'shop.get', with: { id } }] });
      const interpreter = interpret([
        { id: 'both', parallel: [branch('one'), branch('two')] },
        { id: 'end', output: { sum: '${{ steps.one.output + steps.two.output }}' } },
      ]);
      expect(interpreter.next(new Map())).toMatchObject({ asks: [{ path: 'one' }, { path: 'two' }] });
      expect(interpreter.next(outcomes({ one: 1, two: 2 }))).toMatchObject({ outcome: { output: { sum: 3 } } });
    });
  });

  describe('failures', () => {
    const failed = (path: string, tries = 1): Map<string, Outcome> =>
      new Map([[path, { ok: false, error: { code: 'tool_error', message: 'no', step: path }, tries }]]);

    it('are tried again after a growing delay, as often as the step allows', () => {
      const interpreter = interpret([{ ...GET, retry: { max_attempts: 3, initial: '1s' } }], { input: { id: 'a' } });
      interpreter.next(new Map());
      expect(interpreter.next(failed('order', 1))).toMatchObject({ asks: [{ try: 2, delayMs: 1_000 }] });
      expect(interpreter.next(failed('order', 2))).toMatchObject({ asks: [{ try: 3, delayMs: 2_000 }] });
      expect(interpreter.next(failed('order', 3))).toMatchObject({ outcome: { status: 'failed' } });
    });

    it('are passed over where the step says so', () => {
      const interpreter = interpret(
        [
          { ...GET, continue_on_error: true },
          { id: 'end', output: { went: 'on' } },
        ],
        { input: { id: 'a' } },
      );
      interpreter.next(new Map());
      expect(interpreter.next(failed('order'))).toMatchObject({
        outcome: { status: 'succeeded', output: { went: 'on' } },
      });
    });

    it('run the steps of on_failure once and stay failures', () => {
      const alarm = { id: 'alarm', tool: 'shop.pay', with: { id: 'alarm', text: '${{ error.message }}' } };
      const interpreter = interpret([GET], { input: { id: 'a' }, onFailure: [alarm] });
      interpreter.next(new Map());
      const known = failed('order');
      expect(interpreter.next(known)).toMatchObject({
        asks: [{ path: 'alarm', request: { id: 'alarm', text: 'no' } }],
      });
      known.set('alarm', { ok: true, output: null });
      expect(interpreter.next(known)).toMatchObject({ outcome: { status: 'failed', error: { step: 'order' } } });
    });
  });

  it('asks for time with a wait and for people with an approval', () => {
    const approvals: JsonObject = { boss: { approvers: ['bosses'] } };
    const interpreter = interpret(
      [
        { id: 'pause', wait: { for: '5m' } },
        { id: 'sign', approval: 'boss', show: ['input.id'] },
      ],
      { input: { id: 'a' }, approvals },
    );
    expect(interpreter.next(new Map())).toMatchObject({ asks: [{ kind: 'wait', path: 'pause', forMs: 300_000 }] });
    expect(interpreter.next(outcomes({ pause: null }))).toMatchObject({
      asks: [{ kind: 'approval', path: 'sign', show: { 'input.id': 'a' } }],
    });
  });

  it.each([5, 'soon', '2026-11-22', '2026-02-30T08:00:00Z', '0000-01-01T00:00:00Z'])(
    'fails a wait until %j, which is no time, without asking to wait for it',
    (time) => {
      const interpreter = interpret([{ id: 'pause', wait: { until: '${{ input.time }}' } }], { input: { time } });
      expect(interpreter.next(new Map())).toMatchObject({
        outcome: { status: 'failed', error: { code: 'assertion_failed', step: 'pause' } },
      });
    },
  );

  it('hands over to people with the reason as the output', () => {
    const run = drive(
      interpret([{ id: 'stop', hand_off: { to: ['support'], reason: 'Vendor ${{ input.id }}' } }], {
        input: { id: 'a' },
      }),
      () => null,
    );
    expect(run.outcome).toEqual({ status: 'handed_off', output: { to: ['support'], reason: 'Vendor a' } });
  });
});

describe('a timeout', () => {
  const ok = { ok: true, output: true } as const;
  const BLOCK = {
    id: 'block',
    timeout: '10s',
    continue_on_error: true,
    for_each: [1, 2],
    steps: [{ id: 'pay', tool: 'shop.pay', with: { id: 'a' } }],
  };
  const AFTER = { id: 'after', tool: 'shop.pay', with: { id: 'b' } };
  const definition = compileDefinition({ name: 'test', tools: [SHOP], steps: [BLOCK, AFTER] });
  const facts = { input: {}, trigger: {}, run: {}, agent: {} };

  it('of a block bounds the calls inside, ends it before anything else begins, and stays the end of it', () => {
    let now = 0;
    const interpreter = new Interpreter(definition, facts, new Set(), { now: () => now });
    expect(interpreter.next(new Map())).toMatchObject({ asks: [{ path: 'block[0].pay', timeoutMs: 10_000 }] });
    now = 4_000;
    const first = new Map<string, Outcome>([['block[0].pay', ok]]);
    expect(interpreter.next(first)).toMatchObject({ asks: [{ path: 'block[1].pay', timeoutMs: 6_000 }] });
    now = 10_000;
    const decision = interpreter.next(first);
    expect(decision).toMatchObject({
      asks: [{ path: 'after', timeoutMs: 30_000 }],
      notes: [{ type: 'error', path: 'block#timeout', detail: { code: 'timeout', step: 'block' } }],
    });
    // Simulates another process that continues the run. Its interpreter reads the recorded timeout of the block, and
    // knows one more outcome than the first interpreter.
    const later = new Interpreter(definition, facts, new Set(['block#timeout']));
    const all = new Map<string, Outcome>([...first, ['block[1].pay', ok]]);
    expect(later.next(all)).toMatchObject({ asks: [{ path: 'after' }], notes: [] });
  });

  it('of a block that ends in time changes nothing', () => {
    const interpreter = new Interpreter(definition, facts, new Set());
    const all = new Map<string, Outcome>([['block[0].pay', ok], ['block[1].pay', ok]]); // prettier-ignore
    expect(interpreter.next(all)).toMatchObject({ asks: [{ path: 'after' }], notes: [] });
  });

  it('of a wait cuts it short and fails it', () => {
    const run = interpret([{ id: 'pause', timeout: '1s', wait: { for: '5s' } }]);
    expect(run.next(new Map())).toMatchObject({ asks: [{ kind: 'wait', forMs: 1_000 }] });
    expect(run.next(outcomes({ pause: null }))).toMatchObject({
      outcome: { status: 'failed', error: { code: 'timeout', step: 'pause' } },
    });
  });

  it('of an approval shortens the time of its rule, and never lengthens it', () => {
    const approvals = { boss: { approvers: ['bosses'], timeout: '1h' } };
    const timeoutOf = (timeout: string) => {
      const decision = interpret([{ id: 'ask', timeout, approval: 'boss' }], { approvals }).next(new Map());
      const [ask] = decision.kind === 'asks' ? decision.asks : [];
      return ask?.kind === 'approval' ? ask.rule.timeoutMs : undefined;
    };
    expect([timeoutOf('10m'), timeoutOf('2h')]).toEqual([600_000, 3_600_000]);
  });

  it('and a retry of its own have precedence over those of the block around', () => {
    const steps = [
      { id: 'block', retry: { max_attempts: 3, initial: '2s' }, parallel: [
        { steps: [{ id: 'inherits', tool: 'shop.get', with: { id: 'a' } }] },
        { steps: [{ id: 'own', tool: 'shop.get', with: { id: 'a' }, retry: { max_attempts: 1 } }] },
      ] },
    ]; // prettier-ignore
    const failed: Outcome = { ok: false, error: { code: 'tool_error', message: 'no', step: null }, tries: 1 };
    const both = interpret(steps).next(new Map([['inherits', failed]]));
    expect(both).toMatchObject({
      asks: [
        { path: 'inherits', try: 2, delayMs: 2_000 },
        { path: 'own', try: 1 },
      ],
    });
    expect(interpret(steps).next(new Map([['own', failed]]))).toMatchObject({ outcome: { status: 'failed' } });
  });

  it.each([
    ['fail', { status: 'failed', error: { code: 'budget_exceeded', message: 'Nothing is left.', step: 'order' } }],
    ['hand_off', { status: 'handed_off', output: { to: ['support'], reason: 'Nothing is left.' } }],
  ])('ends as `on_exceeded: %s` says when a call is beyond the budget', (onExceeded, outcome) => {
    const budget = { per_run: '1.00', currency: 'EUR', on_exceeded: onExceeded };
    const run = interpret([GET], { input: { id: 'a' }, more: { limits: { budget }, hand_off: { to: ['support'] } } });
    const error = { code: 'budget_exceeded' as const, message: 'Nothing is left.', step: 'order' };
    const refused: Outcome = { ok: false, error, tries: 1 };
    expect(run.next(new Map())).toMatchObject({ kind: 'asks' });
    expect(run.next(new Map([['order', refused]]))).toMatchObject({ kind: 'end', outcome });
  });
});
