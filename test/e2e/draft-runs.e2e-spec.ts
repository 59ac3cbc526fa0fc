import type { JsonObject } from '@app/kernel';
import { ApiClient, type RunAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

interface ProblemAnswer {
  code: string;
  errors?: { pointer: string }[];
}

interface ListedNames {
  data: { id: string; name?: string; action?: string; target?: string }[];
}

const GREETER = {
  name: 'greeter',
  input: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  steps: [{ id: 'result', output: { greeting: 'Hello ${{ input.name }}' } }],
};
const YAML = 'name: typed\nsteps:\n  - { id: result, output: 1 }\n';

describe('a draft run', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const post = <T = RunAnswer>(body: JsonObject, headers: Record<string, string> = {}) =>
    scene.stack.client.call<T>('POST', '/v1/definitions/runs', body, headers);
  const get = async (path: string) => (await scene.stack.client.call<ListedNames>('GET', path)).body;

  it('runs an object or YAML in mode `test` and is read, traced and listed like any run', async () => {
    const { status, headers, body: run } = await post({ definition: GREETER, input: { name: 'Ada' } });
    expect([status, headers.get('location')]).toEqual([202, `/v1/runs/${run.id}`]);
    expect(run).toMatchObject({
      agent_name: 'greeter',
      mode: 'test',
      version: 1,
      status: 'queued',
      trigger: { type: 'api' },
    });
    await eventually(async () =>
      expect(await scene.stack.client.run(run.id)).toMatchObject({
        status: 'succeeded',
        output: { greeting: 'Hello Ada' },
      }),
    );
    expect((await scene.stack.client.call('GET', `/v1/runs/${run.id}/trace`)).status).toBe(200);
    expect((await get(`/v1/runs?id=${run.id}`)).data).toHaveLength(1);
    expect((await get('/v1/runs?mode=test')).data.map(({ id }) => id)).toContain(run.id);
    expect((await get('/v1/runs?mode=production')).data.map(({ id }) => id)).not.toContain(run.id);
    expect((await post({ definition: YAML })).status).toBe(202);
  });

  it('simulates writes', async () => {
    const definition = aToolAgent('writer', scene.ledger.url, [['write', '/x']]);
    const { body } = await post({ definition });
    await eventually(async () => expect(await scene.stack.client.run(body.id)).toMatchObject({ status: 'succeeded' }));
    expect(scene.ledger.callsOf('/x')).toEqual([]);
  });

  it('uses the mocks of the request instead of calling the tools', async () => {
    const definition = aToolAgent('mocked', scene.ledger.url, [['read', '/x']]);
    definition.steps = [
      ...(definition.steps as JsonObject[]).slice(0, 1),
      { id: 'r', output: '${{ steps.call1.output }}' },
    ];
    const mock = { 'tool.read': { total: 40 } };
    const { body } = await post({ definition, mock });
    await eventually(async () =>
      expect(await scene.stack.client.run(body.id)).toMatchObject({
        status: 'succeeded',
        output: { total: 40 },
        trigger: { type: 'api', mock },
      }),
    );
    expect(scene.ledger.callsOf('/x')).toEqual([]);
    const unknown = await post<ProblemAnswer>({ definition, mock: { 'tool.raed': 1 } });
    expect([unknown.status, unknown.body.code]).toEqual([422, 'input_invalid']);
    expect(unknown.body.errors).toMatchObject([
      { pointer: '/mock/tool.raed', suggestion: expect.stringContaining('read') },
    ]);
  });

  it('has an agent that is in no list, takes no name and is closed to everything', async () => {
    const { body: run } = await post({ definition: { ...GREETER, name: 'unnamed' }, input: { name: 'Ada' } });
    for (const query of ['', '?name=unnamed', '?status=archived', '?status=archived&name=unnamed']) {
      expect([query, (await get(`/v1/agents${query}`)).data]).toEqual([query, []]);
    }
    expect((await scene.stack.client.call('GET', '/v1/agents/name:unnamed')).status).toBe(404);
    const agent = `/v1/agents/${run.agent}`;
    const refused: [string, JsonObject][] = [
      [`${agent}/runs`, { input: { name: 'Ada' } }],
      [`${agent}/versions`, GREETER],
      [`${agent}/versions/1/promote`, {}],
      [`${agent}/pause`, {}],
      [`${agent}/resume`, {}],
    ];
    for (const [path, body] of refused) {
      const answer = await scene.stack.client.call<ProblemAnswer>('POST', path, body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 409, 'agent_archived']);
    }
    // A draft run does not reserve the name in its definition, so a second draft can use it.
    expect((await post({ definition: { ...GREETER, name: 'unnamed' }, input: { name: 'Ada' } })).status).toBe(202);
    const created = await scene.stack.client.call('POST', '/v1/agents', { ...GREETER, name: 'unnamed' });
    expect(created.status).toBe(201);
    const { data } = await get('/v1/audit-events?action=agent.create');
    expect(data.map(({ target }) => target)).toContain(run.agent);
  });

  it('has no triggers, which would take mail and fire', async () => {
    const triggers = [{ id: 'daily', type: 'schedule', cron: '0 7 * * *' }];
    const definition = { name: 'timed', triggers, steps: [{ id: 'result', output: 1 }] };
    const { body } = await post({ definition });
    expect((await get(`/v1/agents/${body.agent}/triggers`)).data).toEqual([]);
  });

  it('is refused with the place of the mistake, and leaves nothing behind', async () => {
    const cases: [JsonObject, number, string, string | undefined][] = [
      [{ definition: { ...GREETER, stesp: [] } }, 422, 'definition_invalid', '/definition/stesp'],
      [{ definition: 'name: x\nsteps: no\n' }, 422, 'definition_invalid', '/definition/steps'],
      [{ definition: '{' }, 400, 'invalid_yaml', '/definition'],
      [{ definition: GREETER, input: {} }, 422, 'input_invalid', '/input/name'],
      [{ definition: GREETER }, 422, 'input_invalid', '/input/name'],
      [{ definition: 1 }, 400, 'invalid_request', '/definition'],
      [{}, 400, 'invalid_request', '/definition'],
      [{ definition: GREETER, input: [] }, 400, 'invalid_request', '/input'],
      [{ definition: GREETER, mode: 'production' }, 400, 'invalid_request', '/mode'],
    ];
    const drafts = async () => (await get('/v1/audit-events?action=agent.create&limit=100')).data.length;
    const before = await drafts();
    for (const [body, status, code, pointer] of cases) {
      const answer = await post<ProblemAnswer>(body);
      expect([body, answer.status, answer.body.code, answer.body.errors?.[0]?.pointer]).toEqual([
        body,
        status,
        code,
        pointer,
      ]);
    }
    expect(await drafts()).toBe(before);
  });

  it('starts once for an idempotency key', async () => {
    const headers = { 'idempotency-key': 'draft-1' };
    const body = { definition: GREETER, input: { name: 'Ada' } };
    const [first, second] = [await post(body, headers), await post(body, headers)];
    expect([second.status, second.headers.get('idempotent-replayed'), second.body.id]).toEqual([
      202,
      'true',
      first.body.id,
    ]);
    const other = await post<ProblemAnswer>({ ...body, input: { name: 'Eve' } }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  it('of a narrowed key is readable by this key, and uses nothing that is granted to agents', async () => {
    const { client, baseUrl } = scene.stack;
    const { id: agent } = await client.expect<{ id: string }>('POST', '/v1/agents', { ...GREETER, name: 'granted' });
    const wanted = { name: 'n', kind: 'live', role: 'builder', member: 'admin@example.com', agents: [agent] };
    const { key } = await client.expect<{ key: string }>('POST', '/v1/api-keys', wanted);
    const narrowed = new ApiClient(() => baseUrl, key);
    const start = (definition: JsonObject | string) =>
      narrowed.call<RunAnswer & ProblemAnswer>('POST', '/v1/definitions/runs', { definition, input: {} });
    const { status, body: run } = await start(YAML);
    expect(status).toBe(202);
    const { body: foreign } = await post({ definition: YAML });
    expect((await narrowed.call('GET', `/v1/runs/${run.id}`)).status).toBe(200);
    expect((await narrowed.call('GET', `/v1/runs/${foreign.id}`)).status).toBe(404);
    expect((await narrowed.call<ListedNames>('GET', '/v1/runs')).body.data.map(({ id }) => id)).toEqual([run.id]);
    const tools = {
      secret: {
        name: 't',
        type: 'http',
        base_url: scene.ledger.url,
        auth: { type: 'bearer', token: '${{ secrets.TOKEN }}' },
        operations: [{ name: 'get', scope: 'read', method: 'GET', path: '/' }],
      },
      agent: { name: 't', type: 'agent', agent: 'granted' },
      state: { name: 't', type: 'state', scope: 'workspace' },
    };
    for (const [name, tool] of Object.entries(tools)) {
      const { body } = await start({ name: 'x', tools: [tool] as JsonObject[], steps: [{ id: 'a', output: 1 }] });
      expect([name, body.code]).toEqual([name, 'draft_secret_forbidden']);
      expect(body.errors?.[0]?.pointer).toMatch(/^\/definition\/tools/);
    }
  });
});
