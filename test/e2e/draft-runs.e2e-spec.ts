import type { JsonObject } from '@app/kernel';
import type { RunAnswer } from '../support/api-client.js';
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
});
