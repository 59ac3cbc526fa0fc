import { createHmac } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { Scene } from '../support/scene.js';

const SECRET = 'a secret of the sender';
const REFERENCE = '${{ secrets.SENDER }}';

interface Called {
  status: number;
  headers: Headers;
  text: string;
  json: JsonObject;
}

interface Agent {
  id: string;
  secret: string;
}

describe('webhooks of real senders', () => {
  let scene: Scene;
  let made = 0;

  beforeAll(async () => {
    scene = await Scene.start();
    const { client } = scene.stack;
    await client.call('PUT', '/v1/secrets/SENDER', { value: SECRET });
    await client.call('PUT', '/v1/secrets/VERIFY', { value: 'a verify token' });
  });

  afterAll(() => scene.stop());

  const anAgent = async (triggers: JsonObject[], more: JsonObject = {}): Promise<Agent> => {
    const definition = {
      name: `agent-${++made}`,
      triggers,
      steps: [{ id: 'result', output: '${{ input }}' }],
      ...more,
    };
    const agent = await scene.stack.client.expect<{ id: string; webhook_secret: string }>(
      'POST',
      '/v1/agents',
      definition,
    );
    return { id: agent.id, secret: agent.webhook_secret };
  };
  const hook = (scheme: string, more: JsonObject = {}): JsonObject => ({
    id: 'hook',
    type: 'webhook',
    auth: { scheme, secret: REFERENCE, ...more },
  });
  const call = async (
    { id }: Agent,
    body: string | FormData | URLSearchParams | undefined,
    headers: Record<string, string> = {},
    { query = '', method = 'POST' } = {},
  ): Promise<Called> => {
    const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const response = await fetch(`${scene.stack.baseUrl}/v1/agents/${id}/trigger${query}`, {
      method,
      headers: { ...type, ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? (JSON.parse(text) as JsonObject) : {},
    };
  };
  const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex');
  const slack = (body: string, at = Math.floor(Date.now() / 1_000)) => ({
    'x-slack-request-timestamp': String(at),
    'x-slack-signature': `v0=${hmac(`v0:${at}:${body}`)}`,
  });
  const inputOf = async (called: Called): Promise<JsonObject> => {
    const run = await scene.stack.client.expect<{ input: JsonObject }>(
      'GET',
      `/v1/runs/${JSON.stringify(called.json.run).slice(1, -1)}`,
    );
    return run.input;
  };

  it('start a run by the secret of the sender, and by that of the agent', async () => {
    const agent = await anAgent([hook('github')]);
    const body = '{"action":"opened"}';
    const signed = await call(agent, body, { 'x-hub-signature-256': `sha256=${hmac(body)}` });
    expect([signed.status, signed.json]).toEqual([
      202,
      { id: signed.json.run, run: expect.stringMatching(/^run_/), status: 'queued', duplicate: false },
    ]);
    expect(await inputOf(signed)).toEqual({ action: 'opened' });
    expect((await call(agent, body, { 'x-service-webhook-secret': agent.secret })).status).toBe(202);
    const own = createHmac('sha256', agent.secret).update(body).digest('hex');
    expect((await call(agent, body, { 'x-hub-signature-256': `sha256=${own}` })).status).toBe(202);
  });

  it('are refused alike, whatever is wrong', async () => {
    const agent = await anAgent([hook('slack'), { ...hook('token'), id: 'other' }]);
    const plain = await anAgent([{ id: 'hook', type: 'webhook' }]);
    const missing = await anAgent([
      { ...hook('token'), auth: { scheme: 'token', secret: '${{ secrets.NOT_THERE }}' } },
    ]);
    const body = '{}';
    const refused = await Promise.all([
      call(agent, body),
      call(agent, body, slack('{"other":1}')),
      call(agent, body, slack(body, Math.floor(Date.now() / 1_000) - 301)),
      call(agent, body, slack(body), { query: '?trigger=other' }),
      call(agent, body, slack(body), { query: '?trigger=nope' }),
      call(plain, body, { authorization: `Bearer ${SECRET}` }),
      call(missing, body, { authorization: 'Bearer ' }),
      call({ ...agent, id: 'agt_00000000000000000000000000' }, body, slack(body)),
      call(agent, undefined, {}, { method: 'GET' }),
    ]);
    for (const answer of refused) {
      expect([answer.status, answer.json.code]).toEqual([401, 'invalid_webhook_secret']);
      expect(answer.json.detail).toBe(refused[0].json.detail);
    }
  });

  it('reach only the triggers whose auth they satisfy', async () => {
    const agent = await anAgent([
      { id: 'open', type: 'webhook', map: { by: 'open' } },
      { ...hook('token'), id: 'closed', map: { by: 'closed' } },
    ]);
    const sent = await call(agent, '{}', { authorization: `Bearer ${SECRET}` });
    expect(await inputOf(sent)).toEqual({ by: 'closed' });
    const own = await call(agent, '{}', { 'x-service-webhook-secret': agent.secret });
    expect(await inputOf(own)).toEqual({ by: 'open' });
  });

  it('start one run for a delivery that is sent again, known by the id of its sender', async () => {
    const agent = await anAgent([hook('slack')]);
    const stripe = await anAgent([hook('stripe')]);
    const event = '{"event_id":"Ev1"}';
    const [first, second] = [await call(agent, event, slack(event)), await call(agent, event, slack(event))];
    expect(second.json).toEqual({ ...first.json, duplicate: true });
    const at = Math.floor(Date.now() / 1_000);
    const sign = (body: string) => ({ 'stripe-signature': `t=${at},v1=${hmac(`${at}.${body}`)}` });
    const charge = '{"id":"evt_1"}';
    const charged = [await call(stripe, charge, sign(charge)), await call(stripe, charge, sign(charge))];
    expect(charged[1]?.json).toEqual({ ...charged[0]?.json, duplicate: true });
    // The ids of deliveries are separate for each sender, so the same id from another sender is not a duplicate.
    const header = { 'x-shopify-webhook-id': 'w1' };
    const own = { ...header, 'x-service-webhook-secret': agent.secret };
    const [one, again] = [await call(agent, '{}', own), await call(agent, '{}', own)];
    expect(again.json).toEqual({ ...one.json, duplicate: true });
    const other = await call(agent, '{}', { ...header, ...slack('{}') });
    expect(other.json).toMatchObject({ duplicate: false });
  });

  it('verify the address for Slack and for Meta, without a run', async () => {
    const agent = await anAgent([
      hook('slack'),
      { ...hook('meta', { verify_token: '${{ secrets.VERIFY }}' }), id: 'meta' },
    ]);
    const body = '{"type":"url_verification","challenge":"c 1"}';
    const verified = await call(agent, body, slack(body));
    expect([verified.status, verified.json]).toEqual([200, { challenge: 'c 1' }]);
    expect((await call(agent, body)).status).toBe(401);
    const query = (token: string) =>
      `?hub.mode=subscribe&hub.challenge=%3Cb%3E7&hub.verify_token=${encodeURIComponent(token)}`;
    const meta = await call(agent, undefined, {}, { method: 'GET', query: query('a verify token') });
    expect([meta.status, meta.text, meta.headers.get('content-type')]).toEqual([
      200,
      '<b>7',
      'text/plain; charset=utf-8',
    ]);
    expect(meta.headers.get('content-security-policy')).toBe('sandbox allow-forms');
    expect((await call(agent, undefined, {}, { method: 'GET', query: query('another') })).status).toBe(401);
    const { data } = await scene.stack.client.expect<{ data: unknown[] }>('GET', `/v1/runs?agent=${agent.id}`);
    expect(data).toEqual([]);
  });

  it('verify the address for Event Grid, CloudEvents and SNS, without a run', async () => {
    const agent = await anAgent([hook('basic', { username: 'sns' })]);
    const authorization = `Basic ${Buffer.from(`sns:${SECRET}`).toString('base64')}`;
    const validation = { 'aeg-event-type': 'SubscriptionValidation', authorization };
    const validated = await call(agent, '[{"data":{"validationCode":"512d38b6"}}]', validation);
    expect([validated.status, validated.json]).toEqual([200, { validationResponse: '512d38b6' }]);

    const ask = { 'webhook-request-origin': 'eventgrid.azure.net' };
    const allowed = await call(agent, undefined, ask, { method: 'OPTIONS' });
    const permission = ['webhook-allowed-origin', 'webhook-allowed-rate'].map((name) => allowed.headers.get(name));
    expect([allowed.status, permission]).toEqual([200, ['eventgrid.azure.net', '*']]);
    expect((await call(agent, undefined, {}, { method: 'OPTIONS' })).status).toBe(400);

    const ofSns = (type: string) => ({ 'x-amz-sns-message-type': type, 'content-type': 'text/plain; charset=UTF-8' });
    const message = (url: string) => JSON.stringify({ Type: 'SubscriptionConfirmation', SubscribeURL: url });
    const confirm = (url: string, headers = {}) =>
      call(agent, message(url), { authorization, ...ofSns('SubscriptionConfirmation'), ...headers });
    const { ledger } = scene;
    const confirmed = await confirm(`${ledger.url}/confirmed?Action=ConfirmSubscription`);
    expect([confirmed.status, confirmed.json]).toMatchObject([202, { status: 'filtered', run: null }]);
    expect(ledger.callsOf('/confirmed')).toHaveLength(1);
    expect((await confirm(`${ledger.url}/confirmed`, { authorization: 'Basic eDp5' })).status).toBe(401);
    expect((await confirm('https://sns.eu-west-1.amazonaws.com.attacker.example/')).status).toBe(400);
    expect((await confirm('http://sns.eu-west-1.amazonaws.com/')).status).toBe(400);
    ledger.script('/refused', { status: 500 });
    expect((await confirm(`${ledger.url}/refused`)).status).toBe(503);
    const ended = await call(agent, '{}', { authorization, ...ofSns('UnsubscribeConfirmation') });
    expect(ended.json).toMatchObject({ status: 'filtered' });
    expect(ledger.callsOf('/confirmed')).toHaveLength(1);
    const { data } = await scene.stack.client.expect<{ data: unknown[] }>('GET', `/v1/runs?agent=${agent.id}`);
    expect(data).toEqual([]);
  });

  it('confirm no subscription of SNS while the workspace is stopped', async () => {
    const agent = await anAgent([hook('token')]);
    const { client } = scene.stack;
    const headers = { authorization: `Bearer ${SECRET}`, 'x-amz-sns-message-type': 'SubscriptionConfirmation' };
    await client.expect('POST', '/v1/workspace/emergency-stop', { reason: 'test' });
    const confirmed = await call(agent, JSON.stringify({ SubscribeURL: `${scene.ledger.url}/stopped` }), headers);
    expect([confirmed.status, confirmed.json.code]).toEqual([503, 'workspace_stopped']);
    await client.expect('POST', '/v1/workspace/resume', {});
    expect(scene.ledger.callsOf('/stopped')).toEqual([]);
  });

  it('may send an array or a text to a trigger with `map`, and only to it', async () => {
    const plain = { id: 'plain', type: 'webhook' };
    const events = { id: 'events', type: 'webhook', map: { events: '${{ body }}' } };
    const agent = await anAgent([plain, events]);
    const own = { 'x-service-webhook-secret': agent.secret };
    const batch = await call(agent, '[{"event":"open"},{"event":"click"}]', own);
    expect(await inputOf(batch)).toEqual({ events: [{ event: 'open' }, { event: 'click' }] });
    const text = await call(agent, 'Disk full', { ...own, 'content-type': 'text/plain' });
    expect(await inputOf(text)).toEqual({ events: 'Disk full' });
    expect((await call(agent, '[1]', own, { query: '?trigger=plain' })).status).toBe(400);
    const refused = await call(
      agent,
      'Disk full',
      { ...own, 'content-type': 'text/plain' },
      { query: '?trigger=plain' },
    );
    expect(refused.status).toBe(415);
  });

  it('send a CloudEvent or a message of SNS again under the same id', async () => {
    const agent = await anAgent([hook('token')]);
    const send = (body: string, headers: Record<string, string>) =>
      call(agent, body, { authorization: `Bearer ${SECRET}`, ...headers });
    const event = JSON.stringify({ specversion: '1.0', id: '1', source: '/orders', type: 'created' });
    const structured = { 'content-type': 'application/cloudevents+json' };
    expect((await send(event, structured)).json.duplicate).toBe(false);
    expect((await send(event, structured)).json.duplicate).toBe(true);
    const binary = { 'ce-id': '1', 'ce-source': '/orders', 'ce-specversion': '1.0', 'ce-type': 'created' };
    expect((await send('{}', binary)).json.duplicate).toBe(true);
    expect((await send('{}', { ...binary, 'ce-source': '/invoices' })).json.duplicate).toBe(false);
    const message = { 'x-amz-sns-message-type': 'Notification', 'x-amz-sns-message-id': 'm-1' };
    expect((await send('{"Message":"a"}', message)).json.duplicate).toBe(false);
    expect((await send('{"Message":"a"}', message)).json.duplicate).toBe(true);
  });

  it('may send forms: objects of texts, lists and files', async () => {
    const agent = await anAgent([hook('token')]);
    const authorization = { authorization: `Bearer ${SECRET}` };
    const plain = new URLSearchParams([
      ['command', '/go'],
      ['tag', 'a'],
      ['tag', 'b'],
      ['__proto__', 'x'],
    ]);
    const form = await inputOf(await call(agent, plain, authorization));
    expect(new Map(Object.entries(form))).toEqual(
      new Map<string, unknown>([
        ['command', '/go'],
        ['tag', ['a', 'b']],
        ['__proto__', 'x'],
      ]),
    );
    const files = new FormData();
    files.append('title', 'Größe');
    files.append('file', new Blob(['a\u0000b'], { type: 'application/octet-stream' }), 'data.bin');
    expect(await inputOf(await call(agent, files, authorization))).toEqual({
      title: 'Größe',
      file: {
        file: expect.stringMatching(/^file_/),
        base64: 'YQBi',
        filename: 'data.bin',
        content_type: 'application/octet-stream',
      },
    });
    expect((await call(agent, 'x', { ...authorization, 'content-type': 'text/csv' })).status).toBe(415);
  });

  it('follow the version in production', async () => {
    const agent = await anAgent([hook('token')]);
    const version = { name: `agent-${made}`, triggers: [hook('gitlab')], steps: [{ id: 'result', output: {} }] };
    await scene.stack.client.expect('POST', `/v1/agents/${agent.id}/versions`, version);
    await scene.stack.client.expect('POST', `/v1/agents/${agent.id}/versions/2/promote`, {});
    expect((await call(agent, '{}', { 'x-gitlab-token': SECRET })).status).toBe(202);
    expect((await call(agent, '{}', { authorization: `Bearer ${SECRET}` })).status).toBe(401);
  });

  describe('with `respond`', () => {
    const answering = (respond: JsonObject, steps: JsonObject[], more: JsonObject = {}) =>
      anAgent([{ id: 'hook', type: 'webhook', respond }], { steps, ...more });
    const trigger = (agent: Agent, body: JsonObject = {}, headers: Record<string, string> = {}) =>
      call(agent, JSON.stringify(body), { 'x-service-webhook-secret': agent.secret, ...headers });

    it('are answered from the output of the run', async () => {
      const agent = await answering(
        {
          status: '${{ int(output.status) }}',
          headers: { 'X-Kind': '${{ body.kind }}', 'Set-Cookie': 'a=b', 'X-None': null },
          body: { total: '${{ output.total }}', run: '${{ run.id }}', by: '${{ trigger.id }}' },
        },
        [{ id: 'result', output: { status: 201, total: '${{ input.n }}' } }],
      );
      const answer = await trigger(agent, { kind: 'order', n: 7 });
      expect([answer.status, answer.json]).toEqual([
        201,
        { total: 7, run: expect.stringMatching(/^run_/), by: 'hook' },
      ]);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('x-kind')).toBe('order');
      expect(answer.headers.get('x-none')).toBeNull();
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toBe('sandbox allow-forms');
    });

    it('are answered with text as it is, and again for a repeated delivery', async () => {
      const agent = await answering({ body: '<b>Hi</b> ${{ output.name }}' }, [
        { id: 'result', output: { name: '${{ input.name }}' } },
      ]);
      const [first, again] = [
        await trigger(agent, { name: 'Ann' }, { 'webhook-id': 'one' }),
        await trigger(agent, { name: 'Ann' }, { 'webhook-id': 'one' }),
      ];
      expect([first.status, first.text, first.headers.get('content-type')]).toEqual([
        200,
        '<b>Hi</b> Ann',
        'text/plain; charset=utf-8',
      ]);
      expect(again.text).toBe(first.text);
      const replayed = [first, again].map(({ headers }) => headers.get('idempotent-replayed'));
      expect(replayed).toEqual([null, 'true']);
      const html = await answering({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<p>' }, [
        { id: 'result', output: {} },
      ]);
      expect((await trigger(html)).headers.get('content-type')).toBe('text/html; charset=utf-8');
      const whole = await answering({}, [{ id: 'result', output: { a: [1] } }]);
      expect((await trigger(whole)).json).toEqual({ a: [1] });
    });

    it('learn of a failed run nothing but its id', async () => {
      const failing = await answering({}, [{ id: 'stop', fail: 'the reason is confidential' }]);
      const unusable = await answering({ body: '${{ output.missing }}' }, [{ id: 'result', output: { a: 1 } }]);
      const forbidden = await answering({ headers: { 'x-a': '${{ output.a }}' } }, [
        { id: 'result', output: { a: 'a\nb' } },
      ]);
      const details: string[] = [];
      for (const agent of [failing, unusable, forbidden]) {
        const answer = await trigger(agent);
        details.push(answer.text);
        expect([answer.status, answer.json.code, answer.json.run]).toEqual([
          500,
          'run_failed',
          expect.stringMatching(/^run_/),
        ]);
        expect(answer.text).not.toContain('confidential');
        expect(answer.headers.get('content-security-policy')).toBe('sandbox allow-forms');
      }
      expect(details[0]).toContain('did not succeed');
      for (const detail of details.slice(1)) expect(detail).toContain('The run succeeded, but the response');
    });

    it('are answered as without it if the run waits for people, was handed off or has not ended', async () => {
      const approvals = { boss: { approvers: ['bosses'], timeout: '1h' } };
      const waiting = await answering(
        { wait: '60s' },
        [
          { id: 'ask', approval: 'boss' },
          { id: 'result', output: {} },
        ],
        {
          approvals,
        },
      );
      const handed = await answering({}, [{ id: 'off', hand_off: { to: ['bosses'], reason: 'no' } }]);
      const slow = await answering({ wait: '500ms' }, [
        { id: 'pause', wait: { for: '1h' } },
        { id: 'result', output: {} },
      ]);
      for (const agent of [waiting, handed, slow]) {
        const answer = await trigger(agent);
        expect([answer.status, answer.json]).toEqual([
          202,
          { id: answer.json.run, run: expect.stringMatching(/^run_/), status: 'queued', duplicate: false },
        ]);
      }
    });
  });
});
