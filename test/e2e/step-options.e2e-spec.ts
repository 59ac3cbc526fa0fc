import type { JsonObject } from '@app/kernel';
import { ModelScene } from '../support/model-scene.js';
import { aToolAgent } from '../support/tool-agents.js';

let agents = 0;

const inner = (kind: string, x: unknown = 1): JsonObject => ({ id: `inner_${kind}`, let: { x } as JsonObject });

/** A step of each kind that can succeed in `on_failure`. */
const WORKING: Record<string, JsonObject> = {
  tool: { tool: 'tool.read', with: { place: 'fine' } },
  let: { let: { x: 1 } },
  switch: { switch: [{ when: 'true', steps: [inner('switch')] }] },
  for_each: { for_each: [1], steps: [inner('for_each', '${{ item }}')] },
  parallel: { parallel: ['a', 'b'].map((name) => ({ steps: [inner(name)] })) },
  wait: { wait: { for: '1ms' } },
  agent: { agent: { instructions: 'Go.', tools: [] } },
  assert: { assert: 'error.code == "assertion_failed"' },
  approval: { approval: 'people', timeout: '100ms', continue_on_error: true },
  output: { output: { x: 1 } },
};
const all = (steps: Record<string, JsonObject>, more: JsonObject = {}): JsonObject[] =>
  Object.entries(steps).map(([kind, step]) => ({ id: `a_${kind}`, ...step, ...more }));

/** Tests the options that every kind of step accepts, and nested plans, with a real worker. */
describe('a step', () => {
  let stage: ModelScene;

  beforeAll(async () => {
    stage = await ModelScene.start();
  });
  afterEach(() => stage.reset());
  afterAll(() => stage.stop());

  const aPlan = (steps: JsonObject[], more: JsonObject = {}): JsonObject => ({
    ...aToolAgent(`step-${++agents}`, stage.scene.ledger.url, []),
    model: 'fake/priced',
    approvals: { people: { approvers: ['people'], timeout: '1h', on_timeout: 'fail' } },
    steps,
    ...more,
  });
  const run = async (steps: JsonObject[], more: JsonObject = {}, input: JsonObject = {}) =>
    stage.ended(await stage.start(aPlan(steps, more), input));
  const read = (id: string, place: string, more: JsonObject = {}): JsonObject => ({
    id,
    tool: 'tool.read',
    with: { place },
    ...more,
  });
  const paths = () => stage.scene.ledger.calls.map(({ path }) => path);
  const times = (path: string) => stage.scene.ledger.callsOf(path).map(({ at }) => at);
  const DONE: JsonObject = { id: 'done', output: { done: true } };

  it('of any kind may follow a failure, and one that hands over ends the run so', async () => {
    stage.models.always({ text: 'Gone.' });
    const wrong = { id: 'wrong', assert: 'false', message: 'Not so.' };
    const error = { code: 'assertion_failed', step: 'wrong', message: 'Not so.' };
    const alarm = read('alarm', 'alarm', { with: { place: 'alarm', text: '${{ error.message }}' } });
    expect(await run([wrong], { on_failure: [...all(WORKING), alarm] })).toMatchObject({ status: 'failed', error });
    expect(paths()).toEqual(['/fine', '/alarm']);
    expect(stage.scene.ledger.callsOf('/alarm')[0]!.query).toMatch(/^text=Not(%20|\+)so\.$/);
    expect(stage.models.requests).toHaveLength(1);

    const other = { id: 'other', fail: 'Another.' };
    expect(await run([wrong], { on_failure: [other, alarm] })).toMatchObject({ status: 'failed', error });
    const over = { id: 'over', hand_off: { to: ['support'], reason: '${{ error.message }}' } };
    expect(await run([wrong], { on_failure: [over, alarm] })).toMatchObject({
      status: 'handed_off',
      output: { to: ['support'], reason: 'Not so.' },
      error: null,
    });
    expect(stage.scene.ledger.callsOf('/alarm')).toHaveLength(1);
  });

  it('of any kind that takes time has that much of it', async () => {
    stage.scene.ledger.always('/slow', { delayMillis: 400 });
    stage.models.always({ calls: [{ name: 'tool_read', input: { place: 'slow' } }] });
    const limited = { timeout: '600ms' };
    const round = [read('slow', 'slow')];
    const twice: Record<string, JsonObject> = {
      for_each: { for_each: [1, 2], steps: round },
      switch: { switch: [{ steps: [...round, read('again', 'slow')] }] },
      parallel: { parallel: [{ steps: [...round, read('again', 'slow')] }, { steps: [DONE] }] },
      agent: { agent: { instructions: 'Go.' } },
      wait: { wait: { for: '10m' } },
    };
    const ends = await Promise.all(all(twice, limited).map((step) => run([step])));
    for (const [index, ended] of ends.entries()) {
      const step = `a_${Object.keys(twice)[index]}`;
      expect({ step, ...ended }).toMatchObject({ status: 'failed', error: { code: 'timeout', step } });
    }
    expect(stage.models.requests.length).toBeLessThanOrEqual(3);
    const asked = await run([{ id: 'ask', approval: 'people', timeout: '200ms' }]);
    expect(asked).toMatchObject({ status: 'failed', error: { code: 'approval_expired' } });
  });

  it('waits for the first byte of a response as long as its operation allows', async () => {
    // The delay is longer than the default time limit of outgoing requests.
    stage.scene.ledger.always('/late', { delayMillis: 17_000 });
    const definition = aPlan([read('late', 'late')]);
    const [tool] = definition.tools as { operations: JsonObject[] }[];
    for (const operation of tool!.operations) operation.timeout = '1m';
    expect(await stage.ended(await stage.start(definition))).toMatchObject({ status: 'succeeded' });
  });

  it('is tried again after what it says, as often and as late as it, its block or its definition says', async () => {
    const { ledger } = stage.scene;
    const retry = { max_attempts: 3, backoff: 'constant', initial: '250ms', retry_on: ['tool_error'] };
    for (const path of ['/own', '/block', '/rule']) ledger.script(path, { status: 503 }, { status: 503 });
    const steps = [
      read('own', 'own', { retry }),
      { id: 'each', retry, for_each: [1], steps: [read('block', 'block')] },
    ];
    const [own, rule] = await Promise.all([run(steps), run([read('rule', 'rule')], { retry })]);
    expect([own, rule]).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
    for (const path of ['/own', '/block', '/rule']) {
      const [first, second, third] = times(path);
      expect(second! - first!).toBeGreaterThanOrEqual(250);
      expect(third! - second!).toBeGreaterThanOrEqual(250);
    }
    ledger.always('/broken', { status: 503 });
    const others = await run([read('broken', 'broken', { retry: { ...retry, retry_on: ['timeout'] } })]);
    expect(others).toMatchObject({ status: 'failed', error: { code: 'tool_error' } });
    expect(times('/broken')).toHaveLength(1);
    ledger.script('/late', { delayMillis: 2_000 });
    const late = read('late', 'late', { timeout: '300ms', retry: { ...retry, retry_on: ['timeout'] } });
    expect(await run([late])).toMatchObject({ status: 'succeeded' });
    expect(times('/late')).toHaveLength(2);
    stage.models.respondWith({ status: 500 }, { status: 500 }, { text: 'At last.' });
    const agent = { ...retry, initial: '10ms', retry_on: ['provider_error'] };
    expect(await run([{ id: 'ask', agent: { instructions: 'Go.' }, retry: agent }])).toMatchObject({
      status: 'succeeded',
    });
    expect(stage.models.requests).toHaveLength(3);
  });

  it('may consist of steps that consist of steps, over lists of any length', async () => {
    const innermost: JsonObject = {
      id: 'sides',
      parallel: [
        { steps: [{ id: 'cells', for_each: '${{ row.cells }}', as: 'cell', steps: [read('look', '${{ cell }}')] }] },
        { steps: [{ id: 'size', let: { of: '${{ size(row.cells) }}' } }] },
      ],
    };
    const route = { id: 'route', switch: [{ when: 'size(row.cells) > 0', steps: [innermost] }] };
    const rows = { id: 'rows', for_each: '${{ input.rows }}', as: 'row', max_parallel: 2, steps: [route] };
    const result = { id: 'result', output: { rows: '${{ steps.rows.output }}' } };
    const input = { rows: [{ cells: ['a', 'b'] }, { cells: [] }, { cells: ['c'] }] };
    const call = { call: 1 };
    expect(await run([rows, result], {}, input)).toMatchObject({
      status: 'succeeded',
      output: { rows: [[[call, call], { of: 2 }], null, [[call], { of: 1 }]] },
    });
    expect(paths().sort()).toEqual(['/a', '/b', '/c']);
    const lines = (count: number) => ({ lines: Array.from({ length: count }, (_, n) => ({ n, price: n / 4 })) });
    const check = { id: 'check', assert: 'line.price * 4.0 == line.n' };
    const each = { id: 'each', for_each: '${{ input.lines }}', as: 'line', max_parallel: 10, steps: [check] };
    const count = { id: 'count', output: { count: '${{ size(steps.each.output) }}' } };
    for (const length of [0, 5_000]) {
      expect(await run([each, count], {}, lines(length))).toMatchObject({
        status: 'succeeded',
        output: { count: length },
      });
    }
  });

  it('sees the run, its input, its trigger, its agent and the steps before it, numbers as they are in JSON', async () => {
    const steps: JsonObject[] = [
      { id: 'sum', let: { net: '${{ input.total - input.tax }}', twice: '${{ input.total * 2.0 }}' } },
      { id: 'till', wait: { until: '${{ input.till }}' } },
      { id: 'for', wait: { for: '${{ input.pause }}' } },
      {
        id: 'result',
        output: {
          sum: '${{ steps.sum.output }}',
          big: '${{ input.total > 100 }}',
          is: '${{ run.mode }} ${{ trigger.type }} ${{ agent.name }} ${{ agent.version }}',
          run: '${{ run.id }}',
          has: '${{ has(input.nothing) }}',
        },
      },
    ];
    const till = new Date(Date.now() + 1_000).toISOString();
    const ended = await run(steps, { name: 'seer' }, { total: 900, tax: 0.5, till, pause: '300ms' });
    expect(ended).toMatchObject({ status: 'succeeded' });
    expect(ended.output).toEqual({
      sum: { net: 899.5, twice: 1800 },
      big: true,
      is: 'production api seer 1',
      run: ended.id,
      has: false,
    });
    expect(new Date(ended.ended_at!).getTime()).toBeGreaterThanOrEqual(new Date(till).getTime() + 300);
  });
});
