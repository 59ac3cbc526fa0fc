import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

describe('an agent that is a tool of another agent', () => {
  let scene: Scene;
  let count = 0;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const shop = () => ({
    name: 'shop',
    type: 'http',
    base_url: scene.ledger.url,
    operations: [{ name: 'work', method: 'POST', path: '/work' }],
  });

  /** Creates a child agent, which calls the tool and returns its input. */
  const aChild = async (more: JsonObject = {}): Promise<string> => {
    const name = `child-${++count}`;
    await scene.stack.client.createAgent({
      name,
      input: { type: 'object', required: ['order'], properties: { order: { type: 'string' } } },
      tools: [shop()],
      steps: [
        { id: 'work', tool: 'shop.work', with: { order: '${{ input.order }}' } },
        { id: 'result', output: { done: '${{ input.order }}' } },
      ],
      ...more,
    });
    return name;
  };

  const aParent = (agent: string, more: JsonObject = {}, tool: JsonObject = {}): Promise<string> =>
    scene.stack.client.createAgent({
      name: `parent-${++count}`,
      tools: [{ name: 'helper', type: 'agent', agent, ...tool }],
      steps: [
        { id: 'help', tool: 'helper.run', with: { order: '7' } },
        { id: 'result', output: '${{ steps.help.output }}' },
      ],
      ...more,
    });

  const start = async (agent: string, mode = 'production'): Promise<string> =>
    (await scene.stack.client.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, { input: {}, mode })).id;

  const cancel = (id: string) => scene.stack.client.expect('POST', `/v1/runs/${id}/cancel`);

  const ended = (id: string) =>
    eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });

  const childrenOf = (id: string) =>
    scene.stack.query<{ run_id: string; status: string; depth: number; mode: string; initiator: string }>(
      `select c.run_id, c.depth, r.status, r.mode, r.initiator from child_runs c join runs r on r.id = c.run_id
        where c.parent_run_id = $1`,
      [id],
    );

  it('gets its input from the call, and the call gets its output', async () => {
    const id = await start(await aParent(await aChild()));
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: { done: '7' } });
    const [child, ...others] = await childrenOf(id);
    expect(others).toEqual([]);
    expect(child).toMatchObject({ depth: 1, status: 'succeeded', mode: 'production', initiator: 'admin@example.com' });
    expect(await scene.stack.client.run(child!.run_id)).toMatchObject({ trigger: { type: 'agent', run: id } });
    expect(JSON.parse(scene.ledger.callsOf('/work')[0]!.body)).toEqual({ order: '7' });
  });

  it('gets the answer of a tool without its file if its input allows only the members that answers had before', async () => {
    const members = { content_type: {}, bytes: {}, sha256: {}, base64: {} };
    const image = { type: 'object', additionalProperties: false, properties: members };
    const child = await aChild({
      input: { type: 'object', required: ['image'], properties: { image } },
      steps: [{ id: 'result', output: { image: '${{ input.image }}' } }],
    });
    const operations = [{ name: 'image', method: 'GET', path: '/image', response: 'binary' }];
    const parent = await aParent(child, {
      tools: [
        { name: 'helper', type: 'agent', agent: child },
        { ...shop(), operations },
      ],
      steps: [
        { id: 'image', tool: 'shop.image' },
        { id: 'help', tool: 'helper.run', with: { image: '${{ steps.image.output }}' } },
        { id: 'result', output: { file: '${{ steps.image.output.file }}', given: '${{ steps.help.output.image }}' } },
      ],
    });
    const { error, output } = await ended(await start(parent));
    expect(error).toBeNull();
    expect(output?.file).toMatch(/^file_/);
    expect(Object.keys(output?.given as JsonObject).sort()).toEqual(Object.keys(members).sort());
  });

  it('keeps no worker waiting: its caller is queued until it has ended', async () => {
    scene.ledger.always('/work', { hang: true });
    const id = await start(await aParent(await aChild()));
    await scene.ledger.called('/work');
    await eventually(async () => {
      expect(await scene.stack.client.run(id)).toMatchObject({ status: 'queued' });
    });
    scene.ledger.release('/work');
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
  });

  it('is started once, whatever happens to the worker that started it', async () => {
    scene.ledger.always('/work', { hang: true });
    const id = await start(await aParent(await aChild()));
    await scene.ledger.called('/work');
    const [doomed] = await scene.haveWorkers();
    await doomed?.kill();
    await scene.haveWorkers();
    scene.ledger.release('/work');
    // The tool call of the child run is a write whose outcome is unknown, so the child run waits for a person.
    const [child] = await childrenOf(id);
    await eventually(async () =>
      expect(await scene.stack.client.run(child!.run_id)).toMatchObject({ status: 'waiting_approval' }),
    );
    await cancel(child!.run_id);
    expect(await ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'tool_error', step: 'help', message: expect.stringContaining(child!.run_id) },
    });
    expect(await childrenOf(id)).toHaveLength(1);
  });

  it('fails its call when it fails', async () => {
    scene.ledger.always('/work', { status: 400, body: { why: 'no' } });
    const id = await start(await aParent(await aChild()));
    const run = await ended(id);
    const [child] = await childrenOf(id);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'tool_error', step: 'help' } });
    expect(run.error?.message).toContain(child!.run_id);
  });

  it('fails the call when the request is not an input of it, or when there is no such agent', async () => {
    const child = await aChild({ input: { type: 'object', required: ['customer'] } });
    expect(await ended(await start(await aParent(child)))).toMatchObject({ error: { code: 'tool_error' } });
    const run = await ended(await start(await aParent('nobody')));
    expect(run).toMatchObject({ error: { code: 'tool_error', message: expect.stringContaining('nobody') } });
    expect(scene.ledger.calls).toEqual([]);
  });

  it('is cancelled with its caller', async () => {
    scene.ledger.always('/work', { hang: true });
    const id = await start(await aParent(await aChild()));
    await scene.ledger.called('/work');
    await cancel(id);
    await eventually(async () => expect((await childrenOf(id))[0]).toMatchObject({ status: 'cancelled' }), {
      within: 60_000,
    });
  });

  it('that calls itself ends at the depth of five', async () => {
    const name = `mirror-${++count}`;
    const agent = await scene.stack.client.createAgent({
      name,
      tools: [{ name: 'again', type: 'agent', agent: name }],
      steps: [{ id: 'again', tool: 'again.run', with: {} }],
    });
    const run = await ended(await start(agent));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'tool_error' } });
    const rows = await scene.stack.query<{ depth: number }>(
      'select depth from child_runs c join runs r on r.id = c.run_id where r.agent_id = $1 order by depth',
      [agent],
    );
    expect(rows.map(({ depth }) => depth)).toEqual([1, 2, 3, 4, 5]);
  });

  it('is not started in mode test, unless its caller says that it only reads; then it runs in mode test itself', async () => {
    const child = await aChild();
    const simulated = await start(await aParent(child), 'test');
    expect(await ended(simulated)).toMatchObject({ status: 'succeeded', output: { simulated: true } });
    expect(await childrenOf(simulated)).toEqual([]);
    const reading = await start(await aParent(child, {}, { scope: 'read' }), 'test');
    expect(await ended(reading)).toMatchObject({ status: 'succeeded', output: { done: '7' } });
    expect(await childrenOf(reading)).toMatchObject([{ mode: 'test' }]);
    expect(scene.ledger.calls).toEqual([]);
  });

  it('costs its caller what it cost', async () => {
    scene.ledger.always('/work', { hang: true });
    const id = await start(await aParent(await aChild()));
    await scene.ledger.called('/work');
    const [child] = await childrenOf(id);
    await scene.stack.query('update runs set cost_micros = 1250000 where id = $1', [child!.run_id]);
    scene.ledger.release('/work');
    expect(await ended(id)).toMatchObject({ cost: { amount: '1.25' } });
  });
});
