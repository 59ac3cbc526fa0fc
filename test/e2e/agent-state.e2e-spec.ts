import type { JsonObject } from '@app/kernel';
import { Client } from 'pg';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

/** Key of an advisory lock. While the test holds the lock, Postgres does not record the results of state calls. */
const HELD = 4_711;

interface Entry {
  key: string;
  value: unknown;
  version: number;
}

describe('the state of agents', () => {
  let scene: Scene;
  let count = 0;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterAll(() => scene.stop());

  const anAgent = (steps: JsonObject[], more: JsonObject = {}): Promise<string> =>
    scene.stack.client.createAgent({ name: `agent-${++count}`, steps, ...more });
  const step = (id: string, tool: string, request: JsonObject, more: JsonObject = {}): JsonObject => ({
    id,
    tool,
    with: request,
    ...more,
  });
  const runOf = async (agent: string, mode = 'production') => {
    const path = `/v1/agents/${agent}/runs`;
    const { id } = await scene.stack.client.expect<{ id: string }>('POST', path, { input: {}, mode });
    return eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });
  };
  const stateOf = (agent: string, query = '') =>
    scene.stack.client.expect<{ data: Entry[]; next_cursor?: string }>('GET', `/v1/agents/${agent}/state${query}`);
  const valuesOf = async (agent: string) => (await stateOf(agent)).data.map(({ key, value }) => [key, value]);

  it('is there for the next run, is listed, and can be deleted', async () => {
    const agent = await anAgent([
      step('count', 'state.increment', { key: 'runs' }),
      step('before', 'state.get', { key: 'last', default: 'none' }),
      step('put', 'state.put', { key: 'last', value: '${{ steps.count.output.value }}', ttl: '30d' }),
      step('all', 'state.list', { prefix: 'la' }),
      { id: 'result', output: { before: '${{ steps.before.output }}', all: '${{ steps.all.output }}' } },
    ]);
    const absent = { key: 'last', value: 'none', version: 0, updated_at: null, expires_at: null };
    expect(await runOf(agent)).toMatchObject({ status: 'succeeded', output: { before: absent } });
    const second = await runOf(agent);
    expect(second.output).toEqual({
      before: { key: 'last', value: 1, version: 1, updated_at: expect.any(String), expires_at: expect.any(String) },
      all: {
        data: [{ key: 'last', value: 2, version: 2, updated_at: expect.any(String), expires_at: expect.any(String) }],
        next_cursor: null,
      },
    });
    const trace = await scene.stack.client.trace(second.id);
    expect(trace.steps[1]).toMatchObject({ type: 'tool_call', tool: 'state.increment', status: 'succeeded' });

    expect(await valuesOf(agent)).toEqual([['last', 2], ['runs', 2]]); // prettier-ignore
    const first = await stateOf(agent, '?limit=1');
    expect(first.data.map(({ key }) => key)).toEqual(['last']);
    const rest = await stateOf(agent, `?limit=1&cursor=${first.next_cursor}`);
    expect(rest).toEqual({ data: [expect.objectContaining({ key: 'runs', version: 2, expires_at: null })] });
    expect((await stateOf(agent, '?prefix=ru')).data).toHaveLength(1);
    const other = await scene.stack.client.call(
      'GET',
      `/v1/agents/${agent}/state?prefix=x&cursor=${first.next_cursor}`,
    );
    expect(other).toMatchObject({ status: 400, body: { code: 'cursor_mismatch' } });

    const path = `/v1/agents/${agent}/state`;
    expect(await scene.stack.client.call('DELETE', `${path}?key=last`)).toMatchObject({ status: 204 });
    expect(await valuesOf(agent)).toEqual([['runs', 2]]);
    expect(await scene.stack.client.call('DELETE', path)).toMatchObject({ status: 204 });
    expect(await valuesOf(agent)).toEqual([]);
    expect(await scene.stack.client.call('DELETE', path)).toMatchObject({ status: 204 });
    const audit = await scene.stack.client.expect<{ data: { detail: object }[] }>(
      'GET',
      '/v1/audit-events?action=agent.state.delete',
    );
    expect(audit.data.map(({ detail }) => detail)).toEqual([{ entries: 1 }, { entries: 1, key: 'last' }]);
  });

  it('is shared by all agents as a tool of the scope workspace', async () => {
    const tools = [{ name: 'shared', type: 'state', scope: 'workspace' }];
    const writer = await anAgent([step('put', 'shared.put', { key: 'team/a', value: { b: 1, a: [2] } })], { tools });
    const read = [
      step('get', 'shared.get', { key: 'team/a' }),
      { id: 'result', output: '${{ steps.get.output.value }}' },
    ];
    const reader = await anAgent(read, { tools });
    expect(await runOf(writer)).toMatchObject({ status: 'succeeded' });
    expect(await runOf(reader)).toMatchObject({ status: 'succeeded', output: { b: 1, a: [2] } });
    expect(await valuesOf(writer)).toEqual([]);
    const path = '/v1/workspace/state';
    const { data } = await scene.stack.client.expect<{ data: Entry[] }>('GET', `${path}?prefix=team/`);
    expect(data).toMatchObject([{ key: 'team/a', version: 1 }]);
    expect(await scene.stack.client.call('DELETE', `${path}?key=team/a`)).toMatchObject({ status: 204 });
    expect(await scene.stack.client.expect('GET', path)).toEqual({ data: [] });
  });

  it('rejects a write with another version, and a value that is too large', async () => {
    const agent = await anAgent([
      step('first', 'state.put', { key: 'k', value: 1, if_version: 0 }),
      step('second', 'state.put', { key: 'k', value: 2, if_version: 0 }),
    ]);
    expect(await runOf(agent)).toMatchObject({ status: 'failed', error: { code: 'state_conflict', step: 'second' } });
    const large = await anAgent([step('put', 'state.put', { key: 'k', value: 'x'.repeat(65_535) })]);
    expect(await runOf(large)).toMatchObject({ status: 'failed', error: { code: 'tool_error' } });
    expect(await valuesOf(large)).toEqual([]);
  });

  it('is denied by a policy, as every call', async () => {
    const policies = [{ name: 'no-writes', when: 'tool.name == "state.put" && request.key == "k"', action: 'deny' }];
    const agent = await anAgent([step('put', 'state.put', { key: 'k', value: 1 })], { policies });
    expect(await runOf(agent)).toMatchObject({ status: 'failed', error: { code: 'tool_denied' } });
    expect(await valuesOf(agent)).toEqual([]);
  });

  it('is read by a run in mode test, which writes to a copy of its own', async () => {
    const agent = await anAgent([
      step('count', 'state.increment', { key: 'n', by: 5 }),
      step('read', 'state.get', { key: 'n' }),
      { id: 'result', output: '${{ steps.read.output.value }}' },
    ]);
    expect(await runOf(agent)).toMatchObject({ output: { value: 5 } });
    expect(await runOf(agent, 'test')).toMatchObject({ status: 'succeeded', output: { value: 10 } });
    expect(await runOf(agent, 'test')).toMatchObject({ output: { value: 10 } });
    expect(await valuesOf(agent)).toEqual([['n', 5]]);
  });

  it('begins in an evaluation with the values of the case, else empty', async () => {
    const evaluation: JsonObject = {
      reads: 'mock',
      cases: [
        {
          name: 'continues',
          input: {},
          state: { n: 17 },
          assert: [{ type: 'cel', value: 'output == 18.0' }],
        },
        { name: 'begins', input: {}, assert: [{ type: 'cel', value: 'output == 1.0' }] },
        {
          name: 'is mocked',
          input: {},
          mock: { 'state.increment': { value: 99 } },
          assert: [{ type: 'cel', value: 'output == 99.0' }],
        },
      ],
    };
    const agent = await anAgent(
      [step('count', 'state.increment', { key: 'n' }), { id: 'result', output: '${{ steps.count.output.value }}' }],
      { evaluation },
    );
    await runOf(agent);
    const { id } = await scene.stack.client.expect<{ id: string }>(
      'POST',
      `/v1/agents/${agent}/versions/1/evaluate`,
      {},
    );
    const ended = await eventually(async () => {
      const found = await scene.stack.client.expect<{ status: string; ended_at: string | null; results: object[] }>(
        'GET',
        `/v1/evaluations/${id}`,
      );
      expect(found.ended_at).not.toBeNull();
      return found;
    });
    expect(ended).toMatchObject({ status: 'passed' });
    expect(await valuesOf(agent)).toEqual([['n', 1]]);
  });

  it('takes a write once if the worker is killed after the write and before its result is recorded', async () => {
    const agent = await anAgent([
      step('count', 'state.increment', { key: 'n' }),
      { id: 'result', output: '${{ steps.count.output }}' },
    ]);
    // The database trigger waits for the lock, so the result of a state call is not recorded while the test holds the
    // lock.
    await scene.stack.query(`create function hold_result() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${HELD}); return new; end $$`);
    await scene.stack.query(`create trigger held before update on run_steps for each row
      when (new.tool like 'state.%' and new.state = 'succeeded') execute function hold_result()`);
    const holder = new Client({ connectionString: scene.stack.databaseUrl });
    await holder.connect();
    await holder.query(`select pg_advisory_lock(${HELD})`);
    const [doomed] = await scene.haveWorkers();
    const { id } = await scene.stack.client.startRun(agent);
    const waiting = `select pid from pg_locks where locktype = 'advisory' and objid = ${HELD} and not granted`;
    await eventually(async () => expect(await scene.stack.query(waiting)).toHaveLength(1));
    await doomed?.kill();
    await scene.stack.query(`select pg_terminate_backend(pid) from (${waiting}) waiting`);
    await scene.stack.query('drop trigger held on run_steps');
    await holder.end();
    expect(await valuesOf(agent)).toEqual([['n', 1]]);

    await scene.haveWorkers();
    const run = await eventually(async () => {
      const found = await scene.stack.client.run(id);
      expect(found).toMatchObject({ status: 'succeeded' });
      return found;
    });
    expect(run.output).toMatchObject({ key: 'n', value: 1, version: 1 });
    const { steps } = await scene.stack.client.trace(id);
    const calls = steps.filter(({ path }) => path === 'count').map(({ status }) => status);
    expect(calls).toEqual(['cancelled', 'succeeded']);
    expect(await valuesOf(agent)).toEqual([['n', 1]]);
  });

  it('counts each round of a loop once, whenever workers are killed', async () => {
    const rounds = 60;
    const agent = await anAgent([
      { id: 'rounds', for_each: Array.from({ length: rounds }, (_, n) => n), max_parallel: 4, steps: [step('count', 'state.increment', { key: 'n' })] },
      { id: 'result', output: 1 },
    ], { limits: { max_steps: 200 } }); // prettier-ignore
    let [worker] = await scene.haveWorkers();
    const { id } = await scene.stack.client.startRun(agent);
    const version = async () => (await stateOf(agent)).data[0]?.version ?? 0;
    for (const reached of [10, 30]) {
      await eventually(async () => expect(await version()).toBeGreaterThanOrEqual(reached));
      await worker?.kill();
      [worker] = await scene.haveWorkers();
    }
    await eventually(async () => expect(await scene.stack.client.run(id)).toMatchObject({ status: 'succeeded' }));
    expect((await stateOf(agent)).data).toMatchObject([{ key: 'n', value: rounds, version: rounds }]);
  });
});
