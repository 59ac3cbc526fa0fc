import type { JsonObject } from '@app/kernel';
import type { RunAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent, type ToolOperationName } from '../support/tool-agents.js';

const CALLS: [ToolOperationName, string][] = [
  ['read', '/first'],
  ['write', '/second'],
  ['read', '/third'],
];

interface ReplayAnswer extends RunAnswer {
  replay_of: string | null;
  version: number;
  mode: string;
  input: JsonObject;
  trigger: JsonObject;
  approvals: { id: string }[];
}

describe('a replay', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start({});
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const ended = (id: string) =>
    eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });

  const anEndedRun = async (definition: JsonObject, input: JsonObject = {}): Promise<RunAnswer> => {
    const agent = await scene.stack.client.createAgent(definition);
    return ended((await scene.stack.client.startRun(agent, input)).id);
  };

  const ask = (id: string, body: JsonObject) =>
    scene.stack.client.call<ReplayAnswer & { code: string }>('POST', `/v1/runs/${id}/replay`, {
      mode: 'production',
      ...body,
    });

  const replay = async (id: string, body: JsonObject): Promise<ReplayAnswer> => {
    const { status, headers, body: run } = await ask(id, body);
    expect([status, headers.get('location')]).toEqual([202, `/v1/runs/${run.id}`]);
    await ended(run.id);
    return { ...run, ...(await scene.stack.client.run(run.id)) };
  };

  const stepsOf = async (id: string) => (await scene.stack.client.trace(id)).steps.slice(1);

  const pathsCalled = (run: string): string[] =>
    scene.ledger.calls.filter((call) => call.run === run).map(({ path }) => path);

  it('with recorded results makes no call and comes to the same end', async () => {
    const definition = { ...aToolAgent('recorded', scene.ledger.url, CALLS), input: { type: 'object' } };
    const source = await anEndedRun(definition, { order: 7 });
    const run = await replay(source.id, {});
    expect(run).toMatchObject({
      status: 'succeeded',
      replay_of: source.id,
      agent: source.agent,
      version: 1,
      mode: 'production',
      input: { order: 7 },
      output: source.output,
      trigger: { type: 'replay', run: source.id, tool_results: 'recorded', from_step: null },
    });
    expect(pathsCalled(run.id)).toEqual([]);

    const before = await stepsOf(source.id);
    const after = await stepsOf(run.id);
    const told = ({ path, type, status, tool, request, response_summary: summary }: (typeof after)[number]) => ({
      ...{ path, type, status, tool, request, summary },
    });
    expect(after.map(told)).toEqual(before.map(told));
    expect(after.filter(({ type }) => type === 'tool_call')).toEqual(
      before
        .filter(({ type }) => type === 'tool_call')
        .map(({ n }) => expect.objectContaining({ n, recorded: true, recorded_from: `${source.id}.${n}` })),
    );
  });

  it('with live results makes every call again, and only simulates writes in mode test', async () => {
    const source = await anEndedRun(aToolAgent('live', scene.ledger.url, CALLS));
    const again = await replay(source.id, { tool_results: 'live' });
    expect(pathsCalled(again.id)).toEqual(['/first', '/second', '/third']);
    const inTest = await replay(source.id, { tool_results: 'live', mode: 'test' });
    expect(pathsCalled(inTest.id)).toEqual(['/first', '/third']);
    expect((await stepsOf(inTest.id)).map(({ status }) => status)).toEqual([
      'succeeded',
      'simulated',
      'succeeded',
      'succeeded',
    ]);
  });

  it('with live results from a step takes over the steps before it, however the step is named', async () => {
    const source = await anEndedRun(aToolAgent('from-step', scene.ledger.url, CALLS));
    for (const from of [4, 'call3', `${source.id}.4`]) {
      const run = await replay(source.id, { from_step: from, tool_results: 'live' });
      expect(run).toMatchObject({ status: 'succeeded', trigger: { from_step: 4 } });
      expect(pathsCalled(run.id)).toEqual(['/third']);
      const steps = await stepsOf(run.id);
      expect(steps.map(({ n, path, recorded = false }) => [n, path, recorded])).toEqual([
        [2, 'call1', true],
        [3, 'call2', true],
        [4, 'call3', false],
        [5, 'result', false],
      ]);
    }
  });

  it('of a failed run from the step that failed carries it to its end without repeating its writes', async () => {
    scene.ledger.script('/third', { status: 422, body: { error: 'not yet' } });
    const source = await anEndedRun(aToolAgent('resumed', scene.ledger.url, CALLS));
    expect(source.status).toBe('failed');
    const same = await replay(source.id, { mode: 'test' });
    expect(same).toMatchObject({ status: 'failed', error: source.error });
    expect(pathsCalled(same.id)).toEqual([]);
    const failed = (await stepsOf(source.id)).find(({ status }) => status === 'failed');
    for (const body of [
      { from_step: 'call3' },
      { from_step: failed?.id },
      { from_step: 'call3', tool_results: 'live' },
      { from_step: 'call3', mode: 'test' },
      {},
    ] as JsonObject[]) {
      const fixed = await replay(source.id, body);
      expect(fixed).toMatchObject({ status: 'succeeded', output: { done: true } });
      expect(pathsCalled(fixed.id)).toEqual(['/third']);
    }
  });

  it('from a block executes all steps of the block again', async () => {
    const call = (id: string, place: string) => ({ id, tool: 'tool.read', with: { place } });
    const source = await anEndedRun({
      ...aToolAgent('blocks', scene.ledger.url, []),
      steps: [
        call('before', 'before'),
        { id: 'both', parallel: [{ steps: [call('left', 'left')] }, { steps: [call('right', 'right')] }] },
        call('after', 'after'),
      ],
    });
    const run = await replay(source.id, { from_step: 'both' });
    expect(run).toMatchObject({ status: 'succeeded', trigger: { from_step: 3, from_path: 'both' } });
    expect(pathsCalled(run.id).sort()).toEqual(['/left', '/right']);
  });

  it('at another version makes the calls that have no recorded result as its mode says', async () => {
    const source = await anEndedRun(aToolAgent('versions', scene.ledger.url, CALLS));
    const changed = aToolAgent('versions', scene.ledger.url, [
      ['read', '/first'],
      ['write', '/changed'],
      ['read', '/third'],
      ['read', '/new'],
    ]);
    await scene.stack.client.expect('POST', `/v1/agents/${source.agent}/versions`, changed);
    const inTest = await replay(source.id, { version: 2, mode: 'test' });
    expect(inTest).toMatchObject({ status: 'succeeded', version: 2, mode: 'test' });
    expect(pathsCalled(inTest.id)).toEqual(['/new']);
    expect((await stepsOf(inTest.id)).map(({ status, recorded = false }) => [status, recorded])).toEqual([
      ['succeeded', true],
      ['simulated', false],
      ['succeeded', true],
      ['succeeded', false],
      ['succeeded', false],
    ]);
    const inProduction = await replay(source.id, { version: 2 });
    expect(pathsCalled(inProduction.id)).toEqual(['/changed', '/new']);
  });

  it('is judged by the policies of its version, also where results are recorded', async () => {
    const definition = aToolAgent('policies', scene.ledger.url, CALLS);
    const source = await anEndedRun(definition);
    const policies = [{ name: 'no-writes', when: "tool.scope == 'write'", action: 'deny' }];
    await scene.stack.client.expect('POST', `/v1/agents/${source.agent}/versions`, { ...definition, policies });
    const run = await replay(source.id, { version: 2 });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'tool_denied' } });
    expect(pathsCalled(run.id)).toEqual([]);
  });

  it('is judged by the policies of its version, also where results are copied because of `from_step`', async () => {
    const definition = aToolAgent('judged', scene.ledger.url, CALLS);
    const source = await anEndedRun(definition);
    const policies = [{ name: 'no-writes', when: "tool.scope == 'write'", action: 'deny' }];
    await scene.stack.client.expect('POST', `/v1/agents/${source.agent}/versions`, { ...definition, policies });
    const run = await replay(source.id, { version: 2, from_step: 'call3', tool_results: 'live' });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'tool_denied', step: 'call2' } });
    expect(pathsCalled(run.id)).toEqual([]);
  });

  it.each([
    ['copied because of `from_step`', { from_step: 'call3', tool_results: 'live' }, ['/third']],
    ['recorded', {}, []],
  ] as const)('asks people about a %s write without an approval, and does not send it', async (_, body, calls) => {
    const { client } = scene.stack;
    const group = `deciders-${calls.length}`;
    await client.expect('POST', '/v1/groups', { name: group, members: ['admin@example.com'] });
    const definition = aToolAgent(`asked-${calls.length}`, scene.ledger.url, CALLS);
    const source = await anEndedRun(definition);
    await client.expect('POST', `/v1/agents/${source.agent}/versions`, {
      ...definition,
      approvals: { people: { approvers: [group], self_approval: true } },
      policies: [{ name: 'ask', when: "tool.scope == 'write'", action: 'require_approval', approval: 'people' }],
    });
    const approve = async (run: string): Promise<void> => {
      const approval = await eventually(async () => {
        const { approvals } = (await client.run(run)) as ReplayAnswer;
        expect(approvals).toHaveLength(1);
        return approvals[0]?.id;
      });
      await client.expect('POST', `/v1/runs/${run}/approvals/${approval}`, { decision: 'approve' });
    };
    const asked = await ask(source.id, { version: 2, ...body });
    await approve(asked.body.id);
    expect(await ended(asked.body.id)).toMatchObject({ status: 'succeeded' });
    expect(pathsCalled(asked.body.id)).toEqual(calls);
    // The second replay repeats a run in which people approved the call.
    const again = await replay(asked.body.id, { version: 2, ...body });
    expect(again).toMatchObject({ status: 'succeeded', approvals: [] });
    expect(pathsCalled(again.id)).toEqual(calls);
  });

  it('in production takes nothing from a run in mode test', async () => {
    const agent = await scene.stack.client.createAgent(aToolAgent('simulated', scene.ledger.url, CALLS));
    const started = await scene.stack.client.expect<RunAnswer>('POST', `/v1/agents/${agent}/runs`, { mode: 'test' });
    const source = await ended(started.id);
    for (const [body, pointer] of [
      [{}, '/tool_results'],
      [{ from_step: 'call3' }, '/from_step'],
      [{ from_step: 'call3', tool_results: 'live' }, '/from_step'],
    ] as const) {
      expect(await ask(source.id, body)).toMatchObject({
        status: 422,
        body: { code: 'unknown_reference', errors: [{ pointer }] },
      });
    }
    const live = await replay(source.id, { tool_results: 'live' });
    expect(pathsCalled(live.id)).toEqual(['/first', '/second', '/third']);
    expect(await replay(source.id, { mode: 'test', from_step: 'call3' })).toMatchObject({ status: 'succeeded' });
  });

  it('continues with recorded results when its worker is killed', async () => {
    const source = await anEndedRun(
      aToolAgent('killed', scene.ledger.url, [['write', '/before'], ['read', '/slow'], ...CALLS]),
    );
    scene.ledger.script('/slow', { hang: true });
    const { body } = await ask(source.id, { from_step: 'call2', tool_results: 'live' });
    await eventually(() => expect(pathsCalled(body.id)).toEqual(['/slow']));
    const [doomed] = scene.stack.workers;
    await doomed?.kill();
    await scene.stack.addWorker();
    expect(await ended(body.id)).toMatchObject({ status: 'succeeded' });
    expect(pathsCalled(body.id)).toEqual(['/slow', '/slow', '/first', '/second', '/third']);
  });

  it('is refused for unknown steps, versions and runs, and before the run has ended', async () => {
    const source = await anEndedRun(aToolAgent('refused', scene.ledger.url, [['read', '/x']]));
    for (const from of ['nope', 9, `${source.id}.9`, 'run_00000000000000000000000000.2']) {
      expect(await ask(source.id, { from_step: from })).toMatchObject({
        status: 422,
        body: { code: 'unknown_reference', errors: [{ pointer: '/from_step' }] },
      });
    }
    expect(await ask(source.id, { version: 9 })).toMatchObject({ status: 422, body: { code: 'unknown_reference' } });
    expect(await ask('run_00000000000000000000000000', {})).toMatchObject({ status: 404 });
    const invalid: JsonObject[] = [{ from_step: 0 }, { from_step: 1.5 }, { from_step: '' }, { tool_results: 'both' }];
    for (const body of invalid) {
      expect(await ask(source.id, body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }

    scene.ledger.script('/x', { hang: true });
    const { id } = await scene.stack.client.startRun(source.agent);
    await scene.ledger.called('/x', 2);
    expect(await ask(id, {})).toMatchObject({ status: 422, body: { code: 'unknown_reference' } });
    scene.ledger.release('/x');
    await ended(id);
  });

  it('is one run for one idempotency key', async () => {
    const source = await anEndedRun(aToolAgent('once', scene.ledger.url, []));
    const send = async (body: JsonObject) => {
      const response = await fetch(`${scene.stack.baseUrl}/v1/runs/${source.id}/replay`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${scene.stack.adminKey}`,
          'content-type': 'application/json',
          'idempotency-key': 'again',
        },
        body: JSON.stringify({ mode: 'production', ...body }),
      });
      return { status: response.status, headers: response.headers, body: (await response.json()) as JsonObject };
    };
    const first = await send({});
    expect(first.body).toMatchObject({ replay_of: source.id });
    const second = await send({ tool_results: 'recorded' });
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    expect(second.body).toEqual(first.body);
    expect((await send({ tool_results: 'live' })).body).toMatchObject({ code: 'idempotency_key_reused' });
  });
});
