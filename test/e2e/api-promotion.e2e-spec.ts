import { GREETER } from '../fixtures/definitions.js';
import type { CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const YAML = { 'Content-Type': 'application/yaml' };
const NEXT = GREETER.replace('Greets by name.', 'Greets otherwise.');

describe('versions on their way into production', () => {
  let api: HttpApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await sharedApi();
  });

  beforeEach(async () => {
    tenant = await api.newTenant();
  });

  afterAll(() => api.close());

  const call = (method: string, path: string, options: CallOptions = {}) =>
    api.call(method, path, { key: tenant.adminKey, ...options });

  /** Creates an agent with these versions, and returns its path. */
  const anAgent = async (...definitions: string[]): Promise<string> => {
    const [first = GREETER, ...others] = definitions;
    const { body } = await call('POST', '/v1/agents', { body: first, headers: YAML });
    const path = `/v1/agents/${body.id}`;
    for (const each of others) await call('POST', `${path}/versions`, { body: each, headers: YAML });
    return path;
  };

  it('are promoted, with an answer that says what was before', async () => {
    const agent = await anAgent(GREETER, NEXT);
    const promoted = await call('POST', `${agent}/versions/2/promote`);
    expect([promoted.status, promoted.body]).toEqual([
      200,
      {
        agent: agent.slice('/v1/agents/'.length),
        production_version: 2,
        previous_version: 1,
        evaluation: null,
        promoted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        promoted_by: 'admin@example.com',
        warnings: [],
      },
    ]);
    expect((await call('GET', agent)).body).toMatchObject({ production_version: 2, description: 'Greets otherwise.' });
    expect((await call('GET', `${agent}/versions/2`)).body).toMatchObject({ is_production: true, evaluation: null });
    const run = await call('POST', `${agent}/runs`, { body: { input: { name: 'Ada' } } });
    expect(run.body).toMatchObject({ version: 2 });
    const back = await call('POST', `${agent}/versions/1/promote`);
    expect(back.body).toMatchObject({ production_version: 1, previous_version: 2 });
    const events = await call('GET', '/v1/audit-events?action=agent.promote');
    expect(events.body.data).toHaveLength(2);
  });

  it('run in production before their promotion only for who may promote them, with open gates', async () => {
    const gated = `${NEXT}evaluation: { cases: [{ name: a, input: { name: Ada }, assert: [{ type: status, value: succeeded }] }], gate: { min_pass_rate: 0.5 } }\n`;
    const agent = await anAgent(GREETER, NEXT, gated);
    const start = async (version: number, mode: string, key = tenant.adminKey) => {
      const { status, body } = await call('POST', `${agent}/runs`, {
        body: { input: { name: 'Ada' }, version, mode },
        key,
      });
      return [status, body.code ?? body.version];
    };
    const operator = await tenant.key('operator');
    expect(await start(2, 'production', operator)).toEqual([403, 'insufficient_scope']);
    expect(await start(2, 'test', operator)).toEqual([202, 2]);
    expect(await start(3, 'production', operator)).toEqual([403, 'insufficient_scope']);
    expect(await start(3, 'production')).toEqual([409, 'evaluation_required']);
    expect(await start(3, 'test')).toEqual([202, 3]);

    const { body: run } = await call('POST', `${agent}/runs`, { body: { input: { name: 'Ada' }, version: 2 } });
    const audited = await call('GET', '/v1/audit-events?action=agent.run_unpromoted');
    expect(audited.body.data).toMatchObject([
      { target: run.agent, actor: 'admin@example.com', detail: { version: 2, run: run.id, evaluation: null } },
    ]);
    await api.execute(`update runs set status = 'succeeded', wake_at = null, ended_at = now() where id = '${run.id}'`);
    const replay = async (body: object, key: string) =>
      (await call('POST', `/v1/runs/${run.id}/replay`, { body: { mode: 'production', ...body }, key })).status;
    expect(await replay({}, operator)).toBe(403);
    expect(await replay({}, tenant.adminKey)).toBe(202);
    expect(await replay({ version: 3 }, tenant.adminKey)).toBe(409);
    expect(await replay({ version: 1 }, operator)).toBe(202);

    await call('POST', `${agent}/versions/2/promote`);
    await call('POST', `${agent}/versions/1/promote`);
    expect(await start(2, 'production', operator)).toEqual([202, 2]);
    expect(await replay({}, operator)).toBe(202);
  });

  it('are not promoted by who may not, nor unknown ones', async () => {
    const agent = await anAgent(GREETER, NEXT);
    const operator = await tenant.key('operator');
    const refused = await call('POST', `${agent}/versions/2/promote`, { key: operator });
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    for (const version of ['3', '0', 'x', '99999999999']) {
      const unknown = await call('POST', `${agent}/versions/${version}/promote`);
      expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
    }
  });

  it('are promoted only where the agent is what If-Match says', async () => {
    const agent = await anAgent(GREETER, NEXT);
    const etag = (await call('GET', agent)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    // Without this `Cache-Control`, `fetch` would add `no-cache` to the conditional request.
    const cached = { headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' } };
    expect((await call('GET', agent, cached)).status).toBe(304);
    const stale = { headers: { 'If-Match': '"other"' } };
    for (const [method, path] of [
      ['POST', `${agent}/versions/2/promote`],
      ['POST', `${agent}/pause`],
      ['POST', `${agent}/resume`],
      ['DELETE', agent],
    ] as const) {
      const { status, body } = await call(method, path, stale);
      expect([status, body.code]).toEqual([412, 'precondition_failed']);
    }
    const paused = await call('POST', `${agent}/pause`, { headers: { 'If-Match': etag } });
    expect([paused.status, paused.body.status]).toEqual([200, 'paused']);
    expect((await call('POST', `${agent}/resume`, { headers: { 'If-Match': etag } })).status).toBe(412);
    const current = paused.headers.get('etag') ?? '';
    expect((await call('POST', `${agent}/versions/2/promote`, { headers: { 'If-Match': current } })).status).toBe(200);
  });

  it('are compared', async () => {
    const agent = await anAgent(GREETER, `${NEXT}concurrency: { max: 2 }\n`);
    const { status, body } = await call('GET', `${agent}/versions/1/diff/2`);
    expect(status).toBe(200);
    expect(body).toEqual({
      agent: agent.slice('/v1/agents/'.length),
      a: 1,
      b: 2,
      patch: expect.arrayContaining([
        { op: 'replace', path: '/description', value: 'Greets otherwise.' },
        { op: 'add', path: '/concurrency', value: { max: 2 } },
      ]),
      capability_changes: [
        {
          kind: 'concurrency_changed',
          severity: 'warning',
          message: 'The limits of concurrent runs have changed.',
          pointer: '/concurrency',
          before: null,
          after: { max: 2 },
        },
      ],
    });
    expect((await call('GET', `${agent}/versions/1/diff/1`)).body).toMatchObject({ patch: [], capability_changes: [] });
    expect((await call('GET', `${agent}/versions/1/diff/3`)).status).toBe(404);
    expect((await call('GET', `${agent}/versions/x/diff/1`)).status).toBe(404);
  });

  it('are answered with their original bytes as YAML, each with its own tag', async () => {
    const text = `# as it was written\n${GREETER}\n\n`;
    const agent = await anAgent(text);
    const yaml = await call('GET', `${agent}/versions/1`, { headers: { Accept: 'application/yaml' } });
    expect(yaml.body).toBe(text);
    const json = await call('GET', `${agent}/versions/1`);
    expect(json.headers.get('etag')).not.toBe(yaml.headers.get('etag'));
  });

  it('of an agent that is archived stay readable, and nothing new begins', async () => {
    const agent = await anAgent(GREETER, NEXT);
    const { webhook_secret: secret } = (await call('POST', `${agent}/webhook-secret/rotate`)).body;
    const { body: run } = await call('POST', `${agent}/runs`, { body: { input: { name: 'Ada' } } });
    const archived = await call('DELETE', agent);
    expect([archived.status, archived.body.status, archived.body.effective_status]).toEqual([
      200,
      'archived',
      'archived',
    ]);
    expect((await call('DELETE', agent)).status).toBe(200);
    expect((await call('GET', agent)).body.status).toBe('archived');
    expect((await call('GET', `${agent}/versions/2`)).status).toBe(200);
    // No worker runs in this test, so the run was still queued when the agent was archived.
    expect((await call('GET', `/v1/runs/${run.id}`)).body).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'The agent was archived.',
    });
    for (const [path, options] of [
      [`${agent}/runs`, { body: { input: { name: 'Ada' } } }],
      [`${agent}/versions`, { body: NEXT, headers: YAML }],
      [`${agent}/trigger`, { body: { name: 'Ada' }, headers: { 'X-Service-Webhook-Secret': secret } }],
      [`${agent}/versions/2/promote`, {}],
      [`${agent}/pause`, {}],
      [`${agent}/resume`, {}],
    ] as const) {
      const { status, body } = await call('POST', path, options);
      expect([path, status, body.code]).toEqual([path, 409, 'agent_archived']);
    }
    expect((await call('POST', '/v1/agents', { body: GREETER, headers: YAML })).status).toBe(201);
  });
});
