import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

interface Trigger {
  id: string;
  health: string;
  last_error: string | null;
  next_fire_at: string | null;
}

describe('polls', () => {
  let scene: Scene;
  let made = 0;
  const created: string[] = [];

  beforeAll(async () => {
    scene = await Scene.start();
  });
  // A trigger of a test before would poll during the next test.
  afterEach(async () => {
    const ids = created.splice(0);
    await Promise.all(ids.map((id) => scene.stack.client.expect('POST', `/v1/agents/${id}/pause`)));
    scene.ledger.reset();
  });
  afterAll(() => scene.stop());

  /** Path of the feed of the next agent. Its first poll comes with its creation. */
  const nextPath = () => `/poller-${made + 1}`;
  const definitionOf = (name: string, members: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
    name,
    tools: [
      {
        name: 'shop',
        type: 'http',
        base_url: scene.ledger.url,
        operations: [{ name: 'list', method: 'GET', path: '/{place}', timeout: '60s' }],
      },
    ],
    triggers: [
      {
        id: 'feed',
        type: 'poll',
        tool: 'shop.list',
        with: { place: name, since: '${{ poll.last_at == null ? "" : poll.last_at }}' },
        every: '10s',
        items: 'output.items',
        key: 'item.id',
        map: { id: '${{ item.id }}' },
        ...members,
      },
    ],
    steps: [{ id: 'result', output: '${{ input }}' }],
    ...more,
  });
  /** `ids` is what its feed lists. If undefined, the test has prepared the responses of {@link nextPath}. */
  const anAgent = async (ids?: readonly string[], members: JsonObject = {}, more: JsonObject = {}) => {
    if (ids) listing(nextPath(), ids);
    const name = `poller-${++made}`;
    const id = await scene.stack.client.createAgent(definitionOf(name, members, more));
    created.push(id);
    return { name, path: `/${name}`, id };
  };
  const listing = (path: string, ids: readonly (string | number)[]) =>
    scene.ledger.always(path, { body: { items: ids.map((id) => ({ id })) } });
  const inputsOf = async (agent: string) =>
    (
      await scene.stack.query<{ id: string }>(
        `select input ->> 'id' as id from runs r where agent_id = $1 order by r.id`,
        [agent],
      )
    ).map(({ id }) => id);
  const pollNow = (agent: string) =>
    scene.stack.query('update poll_watches set due_at = clock_timestamp() where agent_id = $1', [agent]);
  /**
   * Makes the trigger poll, and waits until the poll has ended. After that, the next poll is scheduled and no worker
   * has claimed the trigger.
   */
  const polled = async (agent: { id: string; path: string }) => {
    const before = scene.ledger.callsOf(agent.path).length;
    await pollNow(agent.id);
    await scene.ledger.called(agent.path, before + 1);
    await settled(agent.id);
  };
  const settled = (agent: string) =>
    eventually(
      async () => {
        const open = await scene.stack.query(
          'select from poll_watches where agent_id = $1 and (worker is not null or due_at <= clock_timestamp())',
          [agent],
        );
        expect(open).toHaveLength(0);
      },
      { within: 150_000 },
    );
  const triggerOf = async (agent: string): Promise<Trigger> => {
    const { data } = await scene.stack.client.expect<{ data: Trigger[] }>('GET', `/v1/agents/${agent}/triggers`);
    return data[0]!;
  };
  const logOf = async (agent: string) =>
    (
      await scene.stack.client.expect<{ data: { outcome: string; type: string; reason: string | null }[] }>(
        'GET',
        `/v1/agents/${agent}/trigger-events?order=asc&limit=100`,
      )
    ).data;

  it('start one run for each key that was not listed before, with two workers; the first poll only remembers', async () => {
    await scene.haveWorkers(2);
    const agent = await anAgent(['old-1', 'old-2']);
    await scene.ledger.called(agent.path);
    await settled(agent.id);
    expect(await inputsOf(agent.id)).toEqual([]);

    listing(agent.path, ['new-1', 'old-1', 'new-2', 7]);
    for (let round = 0; round < 4; round++) await polled(agent);
    expect(await inputsOf(agent.id)).toEqual(['new-1', 'new-2', '7']);
    const [first, second] = scene.ledger.callsOf(agent.path);
    expect(new URLSearchParams(first?.query).get('since')).toBe('');
    expect(new URLSearchParams(second?.query).get('since')).toMatch(/^2\d{3}-.*Z$/);
    expect(await triggerOf(agent.id)).toMatchObject({ health: 'ok', next_fire_at: expect.any(String) });
    expect((await logOf(agent.id)).map(({ outcome, type }) => `${type} ${outcome}`)).toEqual(
      Array(3).fill('poll started'),
    );
    const { data } = await scene.stack.client.expect<{ data: { trigger: JsonObject }[] }>(
      'GET',
      `/v1/runs?agent=${agent.id}&trigger_type=poll&order=asc`,
    );
    expect(data.map(({ trigger }) => trigger)).toEqual([
      { type: 'poll', id: 'feed', key: 'new-1' },
      { type: 'poll', id: 'feed', key: 'new-2' },
      { type: 'poll', id: 'feed', key: 7 },
    ]);
  });

  it('start the runs of `backfill`, and remember again after another `key`', async () => {
    const agent = await anAgent(['a', 'b', 'c'], { backfill: 2 });
    await scene.ledger.called(agent.path);
    await settled(agent.id);
    expect(await inputsOf(agent.id)).toEqual(['a', 'b']);
    await polled(agent);
    expect(await inputsOf(agent.id)).toEqual(['a', 'b']);

    listing(agent.path, ['c', 'd']);
    const changed = definitionOf(agent.name, { key: '"x" + item.id' });
    await scene.stack.client.expect('POST', `/v1/agents/${agent.id}/versions`, changed);
    const before = scene.ledger.callsOf(agent.path).length;
    await scene.stack.client.expect('POST', `/v1/agents/${agent.id}/versions/2/promote`, {});
    await scene.ledger.called(agent.path, before + 1);
    await settled(agent.id);
    expect(await inputsOf(agent.id)).toEqual(['a', 'b']);
    listing(agent.path, ['e', 'c', 'd']);
    await polled(agent);
    expect(await inputsOf(agent.id)).toEqual(['a', 'b', 'e']);
  });

  it('start each run once if the worker is killed between the call and the runs', async () => {
    const ids = Array.from({ length: 50 }, (_, n) => `item-${n}`);
    scene.ledger.always(nextPath(), { hang: true, body: { items: ids.map((id) => ({ id })) } });
    const agent = await anAgent(undefined, { backfill: 50 });
    await scene.ledger.called(agent.path);
    scene.ledger.release(agent.path);
    await eventually(async () => expect((await inputsOf(agent.id)).length).toBeGreaterThan(0));
    await Promise.all(scene.stack.workers.splice(0).map((worker) => worker.kill()));
    listing(agent.path, ids);
    await scene.haveWorkers();
    await eventually(async () => expect(await inputsOf(agent.id)).toHaveLength(50), { within: 150_000 });
    await settled(agent.id);
    expect(new Set(await inputsOf(agent.id)).size).toBe(50);
  });

  it('log an item that does not fit the input once, and continue with the others', async () => {
    const input = { type: 'object', required: ['id'], properties: { id: { type: 'string', maxLength: 3 } } };
    const agent = await anAgent(['a', 'too long', 'no', 'b'], { backfill: 9, filter: 'item.id != "no"' }, { input });
    await scene.ledger.called(agent.path);
    await settled(agent.id);
    await polled(agent);
    expect(await inputsOf(agent.id)).toEqual(['a', 'b']);
    expect((await logOf(agent.id)).map(({ outcome }) => outcome)).toEqual([
      'started',
      'refused',
      'filtered',
      'started',
    ]);
  });

  it('show a failure in the health of the trigger, also one that a policy causes, until the next success', async () => {
    const failure = { status: 500, body: { why: 'down' } };
    scene.ledger.script(nextPath(), failure, failure);
    const agent = await anAgent([]);
    const policy = { name: 'no', when: 'tool.name == "shop.list"' };
    const asks = { ...policy, action: 'require_approval', approval: 'boss' };
    const denied = await anAgent([], {}, { policies: [{ ...policy, action: 'deny' }] });
    const asking = await anAgent([], {}, { policies: [asks], approvals: { boss: { approvers: ['bosses'] } } });
    for (const { id } of [agent, denied, asking]) {
      await eventually(async () => expect((await triggerOf(id)).health).toBe('error'));
      const { last_error: error, next_fire_at: next } = await triggerOf(id);
      expect(error).toMatch(/^The poll failed: /);
      expect(next).not.toBeNull();
      expect(await logOf(id)).toMatchObject([{ type: 'poll', outcome: 'error', reason: error }]);
    }
    expect(scene.ledger.callsOf(denied.path)).toHaveLength(0);
    expect(scene.ledger.callsOf(asking.path)).toHaveLength(0);
    await polled(agent);
    expect(await logOf(agent.id)).toHaveLength(1);
    await polled(agent);
    expect(await triggerOf(agent.id)).toMatchObject({ health: 'ok', last_error: null });
  });

  it('report rows that a statement returned beyond `max_rows`, and start the runs of the others', async () => {
    const { client, databaseUrl } = scene.stack;
    await client.expect('PUT', '/v1/secrets/QUEUE_DSN', { value: databaseUrl });
    const rows = 'select n as id from generate_series(1, 3) n order by n';
    const database = {
      name: 'queue',
      type: 'postgres',
      dsn: '${{ secrets.QUEUE_DSN }}',
      operations: [{ name: 'list', scope: 'read', sql: rows, max_rows: 2 }],
    };
    const polled = { tool: 'queue.list', with: {}, items: 'output.rows', backfill: 10 };
    const agent = await anAgent(undefined, polled, { tools: [database] });
    await eventually(async () => expect((await triggerOf(agent.id)).health).toBe('error'));
    expect((await triggerOf(agent.id)).last_error).toContain('returned more rows than `max_rows`');
    await eventually(async () => expect(await inputsOf(agent.id)).toEqual(['1', '2']));
  });

  it('stop with a pause of the agent and with the emergency stop, and continue after them', async () => {
    const agent = await anAgent([]);
    const { client } = scene.stack;
    await scene.ledger.called(agent.path);
    await settled(agent.id);
    for (const [stop, resume] of [
      [`/v1/agents/${agent.id}/pause`, `/v1/agents/${agent.id}/resume`],
      ['/v1/workspace/emergency-stop', '/v1/workspace/resume'],
    ] as const) {
      await client.expect('POST', stop, {});
      expect(await triggerOf(agent.id)).toMatchObject({ next_fire_at: null });
      const before = scene.ledger.callsOf(agent.path).length;
      if (stop.startsWith('/v1/workspace')) await pollNow(agent.id);
      await eventually(async () => {
        const [watch] = await scene.stack.query<{ due: boolean }>(
          'select due_at is not null as due from poll_watches where agent_id = $1',
          [agent.id],
        );
        expect(watch?.due).toBe(false);
      });
      expect(scene.ledger.callsOf(agent.path)).toHaveLength(before);
      await client.expect('POST', resume, {});
      await scene.ledger.called(agent.path, before + 1);
      await settled(agent.id);
    }
  });
});
