import { createHmac, randomUUID } from 'node:crypto';
import type { ApiAnswer, CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const PLAIN = { name: 'plain', steps: [{ id: 'result', output: { done: true } }] };
const REFUNDS = {
  name: 'refunds',
  input: { type: 'object', required: ['order'], properties: { order: { type: 'string' } } },
  triggers: [
    { id: 'hook', type: 'webhook', filter: 'body.kind == "refund"', map: { order: '${{ body.order }}' } },
    { id: 'other', type: 'webhook', filter: 'body.kind == "other"', map: { order: 'from ${{ trigger.id }}' } },
  ],
  steps: [{ id: 'result', output: { done: true } }],
};

interface Agent {
  id: string;
  secret: string;
}

describe('webhooks', () => {
  let api: HttpApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await sharedApi();
  });

  beforeEach(async () => {
    tenant = await api.newTenant();
  });

  afterAll(() => api.close());

  const call = (method: string, path: string, body?: object): Promise<ApiAnswer> =>
    api.call(method, `/v1${path}`, { key: tenant.adminKey, ...(body && { body }) });

  const anAgent = async (definition: object = PLAIN): Promise<Agent> => {
    const { status, body } = await call('POST', '/agents', definition);
    if (status !== 201) throw new Error(JSON.stringify(body));
    return { id: body.id, secret: body.webhook_secret };
  };

  const trigger = (
    { id, secret }: Agent,
    body: unknown = {},
    { headers = {}, ...more }: CallOptions = {},
    query = '',
  ) =>
    api.call('POST', `/v1/agents/${id}/trigger${query}`, {
      ...more,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Service-Webhook-Secret': secret, ...headers },
    });
  const signed = (agent: Agent, body: string, headers: Record<string, string>) =>
    api.call('POST', `/v1/agents/${agent.id}/trigger`, {
      body,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  const hub = (secret: string, body: string) => ({
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  });
  const standard = (secret: string, body: string, at = Math.floor(Date.now() / 1_000)) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const mac = createHmac('sha256', key).update(`msg_1.${at}.${body}`).digest('base64');
    return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(at), 'webhook-signature': `v1,${mac}` };
  };
  const codeOf = ({ status, body }: ApiAnswer) => `${status} ${body.code}`;
  const runs = async () => (await call('GET', '/runs')).body.data;
  const outcomes = async ({ id }: Agent) =>
    (await call('GET', `/agents/${id}/trigger-events?order=asc`)).body.data.map(
      (event: { outcome: string }) => event.outcome,
    );

  it('start a run of any agent with the body as its input', async () => {
    const agent = await anAgent();
    const answer = await trigger(agent, { any: { thing: [1] } });
    expect(answer.status).toBe(202);
    const { run: started } = answer.body;
    expect(started).toMatch(/^run_/);
    expect(answer.body).toEqual({ id: started, run: started, status: 'queued', duplicate: false });
    expect(answer.headers.get('location')).toBe(`/v1/runs/${answer.body.run}`);
    expect((await call('GET', `/runs/${answer.body.run}`)).body).toMatchObject({
      agent: agent.id,
      mode: 'production',
      status: 'queued',
      trigger: { type: 'webhook', id: 'webhook' },
      input: { any: { thing: [1] } },
      initiator: null,
    });
    expect(await call('GET', '/runs?trigger_type=webhook')).toMatchObject({ body: { data: [{}] } });
  });

  it('are filtered and mapped, each by the first trigger that takes it or the one that is named', async () => {
    const agent = await anAgent(REFUNDS);
    const { run } = (await trigger(agent, { kind: 'refund', order: '7' })).body;
    expect((await call('GET', `/runs/${run}`)).body).toMatchObject({ trigger: { id: 'hook' }, input: { order: '7' } });
    const second = (await trigger(agent, { kind: 'other' })).body.run;
    expect((await call('GET', `/runs/${second}`)).body).toMatchObject({ input: { order: 'from other' } });
    const ignored = await trigger(agent, { kind: 'other' }, {}, '?trigger=hook');
    expect([ignored.status, ignored.body]).toEqual([
      202,
      {
        id: null,
        run: null,
        status: 'filtered',
        duplicate: false,
        reason: 'The filter `body.kind == "refund"` is false for the event, so no run starts.',
      },
    ]);
    expect(codeOf(await trigger(agent, { kind: 'other' }, {}, '?trigger=nope'))).toBe('400 invalid_request');
    expect(await outcomes(agent)).toEqual(['started', 'started', 'filtered']);
  });

  it('that do not fit tell their sender what is wrong, and leave only the places in the log where values are redacted', async () => {
    const iban = 'DE-not-an-iban';
    const agent = await anAgent({
      ...PLAIN,
      input: { type: 'object', properties: { iban: { type: 'string', pattern: '^[A-Z]{2}[0-9]{20}$' } } },
      triggers: [{ id: 'hook', type: 'webhook', map: { iban: '${{ body.iban }}', sum: '${{ double(body.sum) }}' } }],
      redact: { paths: ['input.iban'] },
    });
    const refused = await trigger(agent, { iban, sum: 1 });
    expect(refused.body.errors).toEqual([{ pointer: '/input/iban', detail: expect.stringContaining(iban) }]);
    await trigger(agent, { iban, sum: iban });
    const { data } = (await call('GET', `/agents/${agent.id}/trigger-events?order=asc`)).body;
    expect(data).toMatchObject([
      { outcome: 'refused', errors: [{ pointer: '/input/iban' }] },
      { outcome: 'error', errors: [] },
    ]);
    expect(JSON.stringify(data)).not.toContain(iban);
  });

  it('that do not fit are refused with the places, and show in the log and in the health of the trigger', async () => {
    const agent = await anAgent(REFUNDS);
    const refused = await trigger(agent, { kind: 'refund', order: 7 });
    expect([codeOf(refused), refused.body.errors[0].pointer]).toEqual(['422 input_invalid', '/input/order']);
    const failed = await trigger(agent, { order: '7' });
    expect(codeOf(failed)).toBe('422 input_invalid');
    expect(await outcomes(agent)).toEqual(['refused', 'error']);
    const { data } = (await call('GET', `/agents/${agent.id}/triggers`)).body;
    expect(data).toEqual([
      {
        id: 'hook',
        type: 'webhook',
        enabled: true,
        last_event_at: expect.any(String),
        last_error: failed.body.detail,
        health: 'error',
      },
      { id: 'other', type: 'webhook', enabled: true, last_event_at: null, last_error: null, health: 'ok' },
    ]);
    for (const query of ['limit=x', 'limit=1', 'nope=1'])
      expect(codeOf(await call('GET', `/agents/${agent.id}/triggers?${query}`))).toBe('400 invalid_request');
    await trigger(agent, { kind: 'refund', order: '7' });
    expect((await call('GET', `/agents/${agent.id}/triggers`)).body.data[0]).toMatchObject({
      health: 'ok',
      last_error: null,
    });
  });

  it.each([
    ['[1]', '400 invalid_request'],
    ['null', '400 invalid_request'],
    ['"text"', '400 invalid_request'],
    ['', '400 invalid_request'],
    ['{', '400 invalid_json'],
    [`{"a": "${'x'.repeat(2 * 1024 * 1024)}"}`, '413 payload_too_large'],
  ])('refuse a body such as %.20s', async (body, code) => {
    const agent = await anAgent();
    expect(codeOf(await trigger(agent, body))).toBe(code);
    expect(await runs()).toEqual([]);
  });

  it('take JSON and forms only', async () => {
    const answer = await trigger(await anAgent(), 'a=1', { headers: { 'Content-Type': 'text/plain' } });
    expect(codeOf(answer)).toBe('415 unsupported_media_type');
  });

  it('refuse a wrong secret, an unknown agent and a malformed id alike, before anything of the body', async () => {
    const agent = await anAgent();
    const unknown = `agt_${'0'.repeat(26)}`;
    const attempts = [
      { ...agent, secret: 'whsec_wrong' },
      { ...agent, secret: '' },
      { ...agent, secret: (await anAgent({ ...PLAIN, name: 'other' })).secret },
      { ...agent, id: unknown },
      { ...agent, id: 'agt_1' },
      { ...agent, id: '%00' },
    ];
    const answers = await Promise.all(attempts.map((attempt) => trigger(attempt, '[')));
    const { request_id, ...problem } = answers[0]!.body;
    expect(request_id).toBeDefined();
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        'WebhookSecret realm="agent-automation-service"',
      ]);
      expect({ ...body, request_id: '' }).toEqual({ ...problem, request_id: '' });
    }
    expect(problem.code).toBe('invalid_webhook_secret');
  });

  describe('with the name of a delivery', () => {
    it.each(['Idempotency-Key', 'webhook-id', 'X-GitHub-Delivery'])('by %s start once', async (header) => {
      const agent = await anAgent();
      const headers = { [header]: randomUUID() };
      const answers = await Promise.all(Array.from({ length: 6 }, () => trigger(agent, { a: 1 }, { headers })));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(202));
      expect(new Set(answers.map(({ body }) => body.run)).size).toBe(1);
      expect(answers.filter(({ body }) => !body.duplicate)).toHaveLength(1);
      expect(await runs()).toHaveLength(1);
      expect((await trigger(agent, { a: 1 }, { headers: { [header]: randomUUID() } })).body.duplicate).toBe(false);
    });

    it('go by the Idempotency-Key before the others', async () => {
      const agent = await anAgent();
      const first = await trigger(agent, {}, { headers: { 'Idempotency-Key': 'k', 'webhook-id': '1' } });
      const second = await trigger(agent, {}, { headers: { 'Idempotency-Key': 'k', 'webhook-id': '2' } });
      expect(second.body).toEqual({ ...first.body, duplicate: true });
      expect(second.headers.get('idempotent-replayed')).toBe('true');
    });

    it('refuse an Idempotency-Key that another body had', async () => {
      const agent = await anAgent();
      const headers = { 'Idempotency-Key': 'k' };
      await trigger(agent, { a: 1, b: 2 }, { headers });
      expect((await trigger(agent, { b: 2, a: 1 }, { headers })).body.duplicate).toBe(true);
      expect(codeOf(await trigger(agent, { a: 2 }, { headers }))).toBe('422 idempotency_key_reused');
    });

    it('stay filtered, and do not use the name up by being refused', async () => {
      const agent = await anAgent(REFUNDS);
      const named = (id: string) => ({ headers: { 'webhook-id': id } });
      expect((await trigger(agent, { kind: 'no' }, named('1'))).headers.get('idempotent-replayed')).toBeNull();
      const again = await trigger(agent, { kind: 'no' }, named('1'));
      expect([again.body.run, again.body.status]).toEqual([null, 'filtered']);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect((await trigger(agent, { kind: 'refund', order: 1 }, named('2'))).status).toBe(422);
      expect((await trigger(agent, { kind: 'refund', order: '1' }, named('2'))).body.duplicate).toBe(false);
    });
  });

  describe('signed instead of with the secret', () => {
    it.each([
      ['as GitHub does', hub],
      ['as Standard Webhooks says', standard],
    ])('%s start a run', async (_, sign) => {
      const agent = await anAgent();
      expect((await signed(agent, '{"a":1}', sign(agent.secret, '{"a":1}'))).status).toBe(202);
      const forged = await signed(agent, '{"a":2}', sign(agent.secret, '{"a":1}'));
      expect(codeOf(forged)).toBe('401 invalid_webhook_secret');
      const unknown = await signed({ ...agent, id: `agt_${'0'.repeat(26)}` }, '{}', sign(agent.secret, '{}'));
      expect(codeOf(unknown)).toBe('401 invalid_webhook_secret');
    });

    it('too long ago are refused', async () => {
      const agent = await anAgent();
      const old = standard(agent.secret, '{}', Math.floor(Date.now() / 1_000) - 600);
      expect(codeOf(await signed(agent, '{}', old))).toBe('401 invalid_webhook_secret');
    });
  });

  describe('whose secret is replaced', () => {
    const rotate = ({ id }: Agent, body?: object) => call('POST', `/agents/${id}/webhook-secret/rotate`, body);

    it('take both for a day', async () => {
      const agent = await anAgent();
      await trigger(agent);
      const { status, body } = await rotate(agent);
      expect(status).toBe(200);
      expect(body).toEqual({
        agent: agent.id,
        webhook_secret: expect.stringMatching(/^whsec_/),
        previous_valid_until: expect.any(String),
      });
      expect(Date.parse(body.previous_valid_until) - Date.now()).toBeGreaterThan(86_000_000);
      expect((await trigger(agent)).status).toBe(202);
      expect((await trigger({ ...agent, secret: body.webhook_secret })).status).toBe(202);
    });

    it('again take each former one until its own time is over, by itself and in signatures', async () => {
      const agent = await anAgent();
      const secrets = [agent.secret];
      for (const grace_seconds of [3_600, 60, 60])
        secrets.push((await rotate(agent, { grace_seconds })).body.webhook_secret);
      const answers = async () => {
        const given = await Promise.all(secrets.map((secret) => trigger({ ...agent, secret })));
        const signing = secrets.map((secret) => signed(agent, '{}', standard(secret, '{}')));
        return [...given, ...(await Promise.all(signing))].map(({ status }) => status);
      };
      expect(await answers()).toEqual(Array(8).fill(202));
      await api.execute(`update former_secrets set expires_at = '2020-01-01' where owner_id = '${agent.id}' and n = 1`);
      expect((await trigger(agent)).status).toBe(401);
      secrets.push((await rotate(agent, { grace_seconds: 0 })).body.webhook_secret);
      expect(await answers()).toEqual([401, 401, 401, 401, 202, 401, 401, 401, 401, 202]);
    });

    it('without a grace time take the new one only, at once', async () => {
      const agent = await anAgent();
      await trigger(agent);
      const { body } = await rotate(agent, { grace_seconds: 0 });
      expect(codeOf(await trigger(agent))).toBe('401 invalid_webhook_secret');
      expect((await trigger({ ...agent, secret: body.webhook_secret })).status).toBe(202);
    });

    it('also where another process did it, are refused the old one at once', async () => {
      const agent = await anAgent();
      await trigger(agent);
      await api.execute(`update agents set webhook_secret_hash = '\\x00' where id = '${agent.id}'`);
      expect(codeOf(await trigger(agent))).toBe('401 invalid_webhook_secret');
    });

    it('leave a line in the audit log, without the secret', async () => {
      const agent = await anAgent();
      const { body } = await rotate(agent, { grace_seconds: 60 });
      const events = (await call('GET', '/audit-events')).body;
      expect(events.data[0]).toMatchObject({ action: 'agent.webhook_secret.rotate', target: agent.id });
      expect(JSON.stringify(events)).not.toContain(body.webhook_secret);
    });

    it.each([-1, 1.5, '60', 2_592_001])('not for %j seconds', async (grace_seconds) => {
      expect(codeOf(await rotate(await anAgent(), { grace_seconds }))).toBe('400 invalid_request');
    });
  });

  it('of a paused agent are sent back, and start runs again after the resume', async () => {
    const agent = await anAgent();
    const headers = { 'webhook-id': '1' };
    await call('POST', `/agents/${agent.id}/pause`);
    expect(codeOf(await trigger(agent, {}, { headers }))).toBe('409 agent_paused');
    await call('POST', `/agents/${agent.id}/resume`);
    expect((await trigger(agent, {}, { headers })).body.duplicate).toBe(false);
  });

  it('of a stopped workspace get an answer that asks for a retry', async () => {
    const agent = await anAgent(REFUNDS);
    await call('POST', '/workspace/emergency-stop');
    const stopped = await trigger(agent, { kind: 'refund', order: '1' });
    expect([codeOf(stopped), stopped.headers.get('retry-after')]).toEqual(['503 workspace_stopped', '60']);
    expect((await call('GET', `/agents/${agent.id}/triggers`)).body.data[0].enabled).toBe(false);
    await call('POST', '/workspace/resume');
    expect((await trigger(agent, { kind: 'refund', order: '1' })).status).toBe(202);
  });
});
