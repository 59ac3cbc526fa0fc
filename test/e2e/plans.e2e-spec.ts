import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

let agents = 0;

describe('a plan', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const aPlan = (steps: JsonObject[], more: JsonObject = {}): JsonObject => ({
    ...aToolAgent(`plan-${++agents}`, scene.ledger.url, []),
    steps,
    ...more,
  });

  const read = (id: string, place: string, more: JsonObject = {}): JsonObject => ({
    id,
    tool: 'tool.read',
    with: { place },
    ...more,
  });

  const start = async (steps: JsonObject[], more: JsonObject = {}): Promise<string> => {
    const agent = await scene.stack.client.createAgent(aPlan(steps, more));
    return (await scene.stack.client.startRun(agent)).id;
  };

  const ended = (id: string) =>
    eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });

  const paths = () => scene.ledger.calls.map(({ path }) => path);

  it('waits without a worker and continues when it is due', async () => {
    const id = await start([{ id: 'pause', wait: { for: '1s' } }, read('after', 'after')]);
    await eventually(async () => {
      const { steps } = await scene.stack.client.trace(id);
      expect(steps[1]).toMatchObject({ type: 'wait', status: 'waiting', until: expect.any(String) });
      expect(await scene.stack.client.run(id)).toMatchObject({ status: 'queued' });
    });
    expect(paths()).toEqual([]);
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
    const [before] = await scene.stack.query<{ created_at: Date }>('select created_at from runs where id = $1', [id]);
    expect(scene.ledger.callsOf('/after')[0]!.at - before!.created_at.getTime()).toBeGreaterThanOrEqual(1_000);
  });

  it('computes credentials and simulated answers from the call and the run', async () => {
    const own: JsonObject = {
      name: 'own',
      type: 'http',
      base_url: scene.ledger.url,
      auth: { type: 'header', name: 'X-Order', value: 'order ${{ request.id }} of ${{ agent.name }}' },
      operations: [
        { name: 'get', method: 'GET', path: '/own' },
        { name: 'pay', method: 'POST', path: '/pay', simulate: { id: '${{ request.id }}', by: '${{ run.mode }}' } },
      ],
    };
    const steps = ['get', 'pay'].map((name) => ({ id: name, tool: `own.${name}`, with: { id: '7' } }));
    const result = { id: 'result', output: { pay: '${{ steps.pay.output }}' } };
    const agent = await scene.stack.client.createAgent(aPlan([...steps, result], { name: 'own-desk', tools: [own] }));
    const body = { input: {}, mode: 'test' };
    const { id } = await scene.stack.client.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, body);
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: { pay: { id: '7', by: 'test' } } });
    expect(scene.ledger.callsOf('/own').map(({ headers }) => headers['x-order'])).toEqual(['order 7 of own-desk']);
  });

  it('hides what a step computes wherever it is used, where the output of that step is redacted', async () => {
    const account = { id: 'account', let: { iban: "${{ 'DE00' + input.number }}", bank: 'A bank' } };
    const result = {
      id: 'result',
      output: { account: '${{ steps.account.output }}', paid: '${{ steps.pay.output }}' },
    };
    scene.ledger.always('/pay', { body: ({ body }) => ({ said: body }) });
    const pay = { id: 'pay', tool: 'tool.write', with: { place: 'pay', to: '${{ steps.account.output.iban }}' } };
    const steps = [account, { id: 'pause', wait: { for: '10ms' } }, pay, result];
    const agent = await scene.stack.client.createAgent(
      aPlan(steps, { redact: { paths: ['steps.account.output.iban'] } }),
    );
    const { id } = await scene.stack.client.startRun(agent, { number: '1234567' });
    const shown = { iban: '[redacted]', bank: 'A bank' };
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: { account: shown } });
    expect(JSON.stringify(await scene.stack.client.run(id))).not.toContain('DE001234567');
    expect(JSON.stringify(await scene.stack.client.trace(id))).not.toContain('DE001234567');
    expect(scene.ledger.callsOf('/pay')[0]!.body).toContain('DE001234567');
  });

  it('goes through a list side by side, at most as many at a time as it says', async () => {
    for (const place of ['/a', '/b', '/c', '/d', '/e', '/f']) scene.ledger.always(place, { delayMillis: 150 });
    const each: JsonObject = {
      id: 'all',
      for_each: "${{ ['a', 'b', 'c', 'd', 'e', 'f'] }}",
      as: 'place',
      max_parallel: 3,
      steps: [read('one', '${{ place }}')],
    };
    const id = await start([each, { id: 'result', output: { count: '${{ size(steps.all.output) }}' } }]);
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: { count: 6 } });
    expect(paths().sort()).toEqual(['/a', '/b', '/c', '/d', '/e', '/f']);
    expect(scene.ledger.peak).toBe(3);
  });

  it('carries out branches side by side, and ends when all of them have', async () => {
    for (const place of ['/left', '/right']) scene.ledger.always(place, { delayMillis: 200 });
    const parallel: JsonObject = {
      id: 'both',
      parallel: [{ steps: [read('l', 'left')] }, { steps: [read('r', 'right')] }],
    };
    const id = await start([parallel, read('then', 'then')]);
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
    expect(scene.ledger.peak).toBe(2);
    expect(paths().at(-1)).toBe('/then');
  });

  it('tries a failed read again as often and as late as it says', async () => {
    scene.ledger.script('/shaky', { status: 503 }, { status: 503 }, { status: 200, body: { ok: true } });
    const retry = { max_attempts: 3, backoff: 'exponential', initial: '200ms', max: '5s', retry_on: ['tool_error'] };
    const id = await start([read('shaky', 'shaky', { retry })]);
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
    const [first, second, third] = scene.ledger.callsOf('/shaky').map(({ at }) => at);
    expect(second! - first!).toBeGreaterThanOrEqual(200);
    expect(third! - second!).toBeGreaterThanOrEqual(400);
    const { steps } = await scene.stack.client.trace(id);
    expect(steps.slice(1).map((step) => [step.path, step.try, step.status])).toEqual([
      ['shaky', 1, 'failed'],
      ['shaky#retry', undefined, 'succeeded'],
      ['shaky', 2, 'failed'],
      ['shaky#retry', undefined, 'succeeded'],
      ['shaky', 3, 'succeeded'],
    ]);
    expect(steps[2]).toMatchObject({ type: 'retry', step: 'shaky', tool: 'tool.read', reason: 'tool_error' });
  });

  it('never tries a write again that may have happened', async () => {
    scene.ledger.always('/pay', { status: 503 });
    const retry = { max_attempts: 3, initial: '10ms', retry_on: ['tool_error'] };
    const id = await start([{ id: 'pay', tool: 'tool.write', with: { place: 'pay' }, retry }]);
    expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'tool_error', step: 'pay' } });
    expect(scene.ledger.callsOf('/pay')).toHaveLength(1);
  });

  it('ends at its limit of steps, which its trace says', async () => {
    const id = await start([read('one', 'a'), read('two', 'b')], { limits: { max_steps: 1 } });
    expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'step_limit' } });
    const { steps } = await scene.stack.client.trace(id);
    expect(steps.map(({ type }) => type)).toEqual(['trigger', 'tool_call', 'error']);
    expect(steps.at(-1)).toMatchObject({ status: 'failed', code: 'step_limit' });
  });

  it('ends when it has waited for as long as it may, for a time or for people', async () => {
    const wait = (id: string, time: string): JsonObject => ({ id, wait: { for: time } });
    // The second wait alone exceeds `max_wait`. It is so long that even a busy worker checks the limit before the wait
    // ends.
    const id = await start([wait('one', '600ms'), wait('two', '1h'), read('after', 'after')], {
      limits: { max_wait: '1s' },
    });
    expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'timeout', step: null } });
    const { steps } = await scene.stack.client.trace(id);
    expect(steps.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'trigger succeeded',
      'wait succeeded',
      'wait cancelled',
      'error failed',
    ]);
    expect(paths()).toEqual([]);

    const asking = await start([{ id: 'sign', approval: 'board' }], {
      approvals: { board: { approvers: ['board'], timeout: '1h', on_timeout: 'hand_off' } },
      limits: { max_wait: '1s' },
    });
    expect(await ended(asking)).toMatchObject({ status: 'handed_off', approvals: [{ status: 'expired' }] });
  });

  it('gives up a call that takes longer than its step allows', async () => {
    scene.ledger.always('/slow', { delayMillis: 3_000 });
    const id = await start([read('slow', 'slow', { timeout: '1s', retry: { max_attempts: 1 } })]);
    const run = await ended(id);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'timeout', step: 'slow' } });
    expect(scene.ledger.callsOf('/slow')[0]).toMatchObject({ state: 'aborted' });
  });

  it('ends, and breaks off what is under way, when it has been at work for as long as it may', async () => {
    scene.ledger.always('/first', { delayMillis: 700 });
    scene.ledger.always('/second', { delayMillis: 5_000 });
    const id = await start([read('one', 'first'), read('two', 'second'), read('three', 'third')], {
      limits: { max_duration: '1s' },
    });
    expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'timeout', step: null } });
    expect(scene.ledger.callsOf('/second')[0]).toMatchObject({ state: 'aborted' });
    expect(scene.ledger.callsOf('/third')).toEqual([]);
    const { steps } = await scene.stack.client.trace(id);
    expect(steps.at(-1)).toMatchObject({ type: 'error', code: 'timeout' });
  });

  it('that no worker begins in time fails, which its trace and its event say, and is never begun afterwards', async () => {
    scene.ledger.script('/held', { hang: true });
    const definition = aPlan([read('held', 'held')], { concurrency: { max: 1 }, limits: { queue_ttl: '1s' } });
    const agent = await scene.stack.client.createAgent(definition);
    const { id: holder } = await scene.stack.client.startRun(agent);
    await scene.ledger.called('/held');
    const { id: late } = await scene.stack.client.startRun(agent);
    expect(await ended(late)).toMatchObject({ status: 'failed', output: null, error: { code: 'queue_expired' } });
    const { steps } = await scene.stack.client.trace(late);
    expect(steps.map(({ type, status }) => `${type} ${status}`)).toEqual(['trigger succeeded', 'error failed']);
    scene.ledger.release('/held');
    expect(await ended(holder)).toMatchObject({ status: 'succeeded' });
    expect(scene.ledger.callsOf('/held').map(({ run }) => run)).toEqual([holder]);
    const { data } = await scene.stack.client.expect<{ data: { type: string; data: JsonObject }[] }>(
      'GET',
      `/v1/events?agent=${agent}&order=asc`,
    );
    expect(data.map(({ type, data: { id, status } }) => [type, id, status])).toEqual([
      ['run.completed', late, 'failed'],
      ['run.completed', holder, 'succeeded'],
    ]);
  });

  it('does not make a call whose policy cannot be evaluated, if that means a denial', async () => {
    const id = await start([{ id: 'pay', tool: 'tool.write', with: { place: 'pay' } }], {
      policies: [{ name: 'odd', when: 'input.missing > 1.0', action: 'allow' }],
      policy_defaults: { on_error: 'deny' },
    });
    expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'policy_error', step: 'pay' } });
    expect(paths()).toEqual([]);
  });

  it('is carried out for as many runs at a time as its agent allows, and for all of them in the end', async () => {
    scene.ledger.always('/busy', { delayMillis: 150 });
    const definition = aPlan([read('busy', 'busy')], { concurrency: { max: 2, on_conflict: 'queue' } });
    const agent = await scene.stack.client.createAgent(definition);
    const runs = await Promise.all(Array.from({ length: 6 }, () => scene.stack.client.startRun(agent)));
    for (const { id } of runs) expect(await ended(id)).toMatchObject({ status: 'succeeded' });
    expect(scene.ledger.callsOf('/busy')).toHaveLength(6);
    expect(scene.ledger.peak).toBe(2);
  });
});
