import type { JsonObject } from '@app/kernel';
import { type ApiDocument, OpenApiContract } from '../support/openapi-contract.js';
import { eventually } from '../support/eventually.js';
import { aGroup, aPerson } from '../support/people.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';
import {
  deliveriesOf,
  type DeliveryAnswer,
  type EndpointAnswer,
  type Message,
  subscribe,
  verifyMessage,
} from '../support/webhooks.js';

/** An agent that needs an approval of the group `finance` before it makes its call. */
const anAskingAgent = (url: string): JsonObject => ({
  ...aToolAgent('asking', url, [['write', '/refunds']]),
  policies: [{ name: 'ask', when: 'tool.name == "tool.write"', action: 'require_approval', approval: 'finance' }],
  approvals: { finance: { approvers: ['finance'], timeout: '1h', on_timeout: 'fail' } },
});

describe('webhooks', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(async () => {
    for (const { id } of (await call<{ data: EndpointAnswer[] }>('GET', '')).data) {
      await fetch(`${scene.stack.baseUrl}/v1/webhook-endpoints/${id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${scene.stack.adminKey}` },
      });
    }
    scene.ledger.reset();
  });
  afterAll(() => scene.stop());

  const call = <Body>(method: string, path: string, body?: JsonObject) =>
    scene.stack.client.expect<Body>(method, `/v1/webhook-endpoints${path}`, body);
  const anEndpoint = (path: string, members: JsonObject = {}) =>
    subscribe(scene.stack.client, `${scene.ledger.url}${path}`, members);
  const deliveries = (endpoint: string) => deliveriesOf(scene.stack.client, endpoint);
  const anAgent = (name: string) => scene.stack.client.createAgent(aToolAgent(name, scene.ledger.url, []));
  const becomes = (endpoint: string, expected: Partial<DeliveryAnswer>) =>
    eventually(async () => {
      const [delivery] = await deliveries(endpoint);
      expect(delivery).toMatchObject(expected);
      return delivery!;
    });

  it('tell that a run has ended, signed, and as the run is shown', async () => {
    const { id: endpoint, secret } = await anEndpoint('/ends');
    const run = await scene.stack.client.startRun(await anAgent('ends'));
    const [received] = await scene.ledger.called('/ends');
    const message = verifyMessage(received!, secret);
    expect(message).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      type: 'run.completed',
      timestamp: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/),
      workspace: scene.stack.workspaceId,
      data: await scene.stack.client.run(run.id),
    });
    expect(received!.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': message.id });
    const delivery = await becomes(endpoint, { status: 'delivered' });
    expect(delivery).toMatchObject({
      event: message.id,
      event_type: 'run.completed',
      attempts: 1,
      next_attempt_at: null,
      response_status: 200,
      response_body: '{"call":1}',
      latency_ms: expect.any(Number),
      error: null,
    });
  });

  it('tell of approvals as the commit left them: the run waits, the approval is decided', async () => {
    const types = ['run.approval_requested', 'approval.decided', 'run.completed'];
    const { secret } = await anEndpoint('/approvals', { events: types });
    const bob = await aPerson(scene.stack, 'bob@example.com');
    await aGroup(scene.stack, 'finance', ['bob@example.com']);
    const agent = await scene.stack.client.createAgent(anAskingAgent(scene.ledger.url));
    const run = await scene.stack.client.startRun(agent);
    const [asked] = await scene.ledger.called('/approvals');
    const { type, data } = verifyMessage(asked!, secret);
    expect(type).toBe('run.approval_requested');
    const { approval, ...waiting } = data as { approval: JsonObject & { id: string } };
    expect(waiting).toEqual(await scene.stack.client.run(run.id));
    expect(waiting).toMatchObject({ id: run.id, status: 'waiting_approval', approvals: [approval] });
    expect(approval).toMatchObject({
      status: 'open',
      tool: 'tool.write',
      approvers: ['finance'],
      expires_at: expect.any(String),
      console_url: `${scene.stack.baseUrl}/console/approvals/${approval.id}`,
    });

    const decided = await bob.expect<JsonObject>('POST', `/v1/runs/${run.id}/approvals/${approval.id}`, {
      decision: 'approve',
    });
    const calls = await scene.ledger.called('/approvals', 3);
    const messages = calls.map((each) => verifyMessage(each, secret));
    expect(messages.map((each) => each.type).sort()).toEqual([...types].sort());
    // Unlike this response, a message does not state whether a person may decide the approval, because each person has
    // different rights.
    const { can_decide: _may, cannot_decide_reason: _reason, ...sent } = decided;
    expect(messages.find((each) => each.type === 'approval.decided')?.data).toEqual(sent);
  });

  it('go only to endpoints that have subscribed to the type and the agent', async () => {
    const [mine, other] = [await anAgent('mine'), await anAgent('other')];
    const all = await anEndpoint('/all', { events: ['run.completed', 'workspace.stopped', 'workspace.resumed'] });
    const some = await anEndpoint('/some', { events: ['run.completed', 'workspace.resumed'], agents: [mine] });
    const handedOff = await anEndpoint('/none', { events: ['run.handed_off'] });
    const disabled = await anEndpoint('/disabled', { status: 'disabled' });
    const runs = [await scene.stack.client.startRun(mine), await scene.stack.client.startRun(other)];
    await scene.ledger.called('/all', 2);
    await scene.stack.client.expect('POST', '/v1/workspace/emergency-stop', { reason: 'a drill' });
    // The service sends pending deliveries even if the workspace is stopped.
    const stopped = verifyMessage((await scene.ledger.called('/all', 3))[2]!, all.secret);
    expect(stopped).toMatchObject({ type: 'workspace.stopped', data: { by: 'admin@example.com', reason: 'a drill' } });
    await scene.stack.client.expect('POST', '/v1/workspace/resume', {});
    await scene.ledger.called('/all', 4);
    const told = (await scene.ledger.called('/some', 2)).map((each) => verifyMessage(each, some.secret));
    expect(told.map(({ type, data }) => [type, data.id])).toEqual([
      ['run.completed', runs[0]!.id],
      ['workspace.resumed', undefined],
    ]);
    expect(await deliveries(handedOff.id)).toEqual([]);
    expect(await deliveries(disabled.id)).toEqual([]);
  });

  it('are tried again with the same id and the same bytes, and the answers are shown', async () => {
    const { id: endpoint, secret } = await anEndpoint('/flaky');
    scene.ledger.script('/flaky', { status: 500, body: 'x'.repeat(5_000) }, { drop: true });
    await scene.stack.client.startRun(await anAgent('flaky'));
    await eventually(async () => {
      const [delivery] = await deliveries(endpoint);
      expect(delivery).toMatchObject({ status: 'pending', attempts: 1, response_status: 500, error: null });
      expect(delivery!.response_body).toHaveLength(1_024);
      expect(delivery!.next_attempt_at).not.toBeNull();
    });
    expect(await call('GET', `/${endpoint}`)).toMatchObject({ failing_since: expect.any(String) });
    const attempts = await scene.ledger.called('/flaky', 3);
    expect(new Set(attempts.map(({ body }) => body)).size).toBe(1);
    expect(new Set(attempts.map((each) => verifyMessage(each, secret).id)).size).toBe(1);
    await becomes(endpoint, { status: 'delivered', attempts: 3, response_status: 200 });
    await eventually(async () => expect(await call('GET', `/${endpoint}`)).toMatchObject({ failing_since: null }));
  });

  it('fail at the end of the schedule, and are sent again on request', async () => {
    const { id: endpoint, secret } = await anEndpoint('/down');
    scene.ledger.script(
      '/down',
      { status: 503 },
      { status: 302, headers: { location: '/elsewhere' } },
      { status: 404 },
    );
    await scene.stack.client.startRun(await anAgent('down'));
    const failed = await becomes(endpoint, { status: 'failed', attempts: 3, response_status: 404 });
    expect(scene.ledger.callsOf('/elsewhere')).toEqual([]);

    const again = await scene.stack.client.call(
      'POST',
      `/v1/webhook-endpoints/${endpoint}/deliveries/${failed.id}/retry`,
    );
    expect(again).toMatchObject({ status: 202, body: { id: failed.id, status: 'pending', attempts: 3 } });
    const attempts = await scene.ledger.called('/down', 4);
    expect(verifyMessage(attempts[3]!, secret).id).toBe(failed.event);
    await becomes(endpoint, { id: failed.id, status: 'delivered', attempts: 4 });
  });

  it('show the request as it was sent, without its signature', async () => {
    const { id: endpoint, url } = await anEndpoint('/shown');
    const run = await scene.stack.client.startRun(await anAgent('shown'));
    const [received] = await scene.ledger.called('/shown');
    const { id } = await becomes(endpoint, { status: 'delivered' });
    const { request } = await call<{ request: JsonObject & { body: string } }>('GET', `/${endpoint}/deliveries/${id}`);
    expect(request).toEqual({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', 'webhook-id': received!.headers['webhook-id'] },
      body: received!.body,
    });
    expect(JSON.parse(request.body)).toMatchObject({ data: { id: run.id } });
  });

  it('are all sent again with one request, but those that have arrived', async () => {
    const { id: endpoint } = await anEndpoint('/many');
    const agent = await anAgent('many');
    await scene.stack.client.startRun(agent);
    await becomes(endpoint, { status: 'delivered', attempts: 1 });
    const failures = Array.from({ length: 6 }, () => ({ status: 503 }));
    scene.ledger.script('/many', ...failures);
    for (let n = 0; n < 2; n++) await scene.stack.client.startRun(agent);
    await eventually(async () =>
      expect(await deliveriesOf(scene.stack.client, endpoint, '?status=failed')).toHaveLength(2),
    );

    const retryAll = () => call('POST', `/${endpoint}/deliveries/retry`);
    expect(await retryAll()).toEqual({ retried: 2 });
    await eventually(async () => {
      const attempts = (await deliveries(endpoint)).map(({ status, attempts: each }) => [status, each]);
      expect(attempts).toEqual([
        ['delivered', 4],
        ['delivered', 4],
        ['delivered', 1],
      ]);
    });
    expect(await retryAll()).toEqual({ retried: 0 });
  });

  it('end with an answer of 410: the endpoint is disabled, and an event reports it', async () => {
    const { id: endpoint } = await anEndpoint('/gone');
    const watcher = await anEndpoint('/watcher', { events: ['webhook.failing'] });
    scene.ledger.always('/gone', { status: 410 });
    const agent = await anAgent('gone');
    await scene.stack.client.startRun(agent);
    const [told] = await scene.ledger.called('/watcher');
    expect(verifyMessage(told!, watcher.secret)).toMatchObject({
      type: 'webhook.failing',
      data: { endpoint, url: `${scene.ledger.url}/gone`, status: 'disabled', reason: 'gone' },
    });
    expect(await call('GET', `/${endpoint}`)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    await becomes(endpoint, { status: 'failed', attempts: 1, response_status: 410 });
    const audit = await scene.stack.client.expect<{ data: JsonObject[] }>(
      'GET',
      '/v1/audit-events?action=webhook.disable',
    );
    expect(audit.data).toMatchObject([{ actor: 'service', target: endpoint, detail: { reason: 'gone' } }]);
    const test = await scene.stack.client.call('POST', `/v1/webhook-endpoints/${endpoint}/test`);
    expect(test).toMatchObject({ status: 409, body: { code: 'endpoint_disabled' } });
  });

  it('disable an endpoint that has failed for five days and fails again; what it was owed is cancelled', async () => {
    const { id: endpoint } = await anEndpoint('/dead');
    scene.ledger.always('/dead', { status: 500 });
    const long = `update webhook_endpoints set failing_since = clock_timestamp() - interval '5 days 1 minute' where id = $1`;
    await scene.stack.query(long, [endpoint]);
    await scene.stack.client.startRun(await anAgent('dead'));
    await eventually(async () =>
      expect(await call('GET', `/${endpoint}`)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' }),
    );
    await becomes(endpoint, { status: 'cancelled', attempts: 1, next_attempt_at: null });
    expect(await call('PATCH', `/${endpoint}`, { status: 'enabled' })).toMatchObject({
      status: 'enabled',
      disabled_reason: null,
      failing_since: null,
    });
  });

  it('are signed with all secrets that are still valid, and with the new one alone without a grace', async () => {
    const { id: endpoint, secret: first } = await anEndpoint('/rotated', { events: ['webhook.test'] });
    const { secret: second } = await call<EndpointAnswer>('POST', `/${endpoint}/rotate`, {});
    const { secret: current } = await call<EndpointAnswer>('POST', `/${endpoint}/rotate`, { grace_seconds: 60 });
    await call('POST', `/${endpoint}/test`);
    const [all] = await scene.ledger.called('/rotated');
    for (const secret of [first, second, current])
      expect(verifyMessage(all!, secret)).toMatchObject({ type: 'webhook.test' });
    const { secret: third } = await call<EndpointAnswer>('POST', `/${endpoint}/rotate`, { grace_seconds: 0 });
    await call('POST', `/${endpoint}/test`);
    const alone = (await scene.ledger.called('/rotated', 2))[1]!;
    expect(verifyMessage(alone, third).data).toEqual({ endpoint, requested_by: 'admin@example.com' });
    for (const secret of [first, second, current]) expect(() => verifyMessage(alone, secret)).toThrow();
  });

  describe('and the list of events', () => {
    const events = (query: string) =>
      scene.stack.client.expect<{ data: Message[]; next_cursor?: string }>('GET', `/v1/events?${query}`);

    it('say the same, and keep their description', async () => {
      const contract = new OpenApiContract(await scene.stack.client.expect<ApiDocument>('GET', '/v1/openapi.json'));
      const types = Object.keys(contract.document.webhooks);
      const { id: endpoint, secret } = await anEndpoint('/everything', { events: types });
      const since = new Date();
      const definition = anAskingAgent(scene.ledger.url);
      const agent = await scene.stack.client.createAgent({
        ...definition,
        name: 'expiring',
        approvals: {
          finance: { approvers: ['finance'], timeout: '1s', on_timeout: 'hand_off' },
        },
      });
      await scene.stack.client.startRun(agent);
      await call('POST', `/${endpoint}/test`);
      const calls = await scene.ledger.called('/everything', 5);
      const told = calls.map((each) => verifyMessage(each, secret));
      expect(told.map(({ type }) => type).sort()).toEqual([
        'approval.expired',
        'run.approval_requested',
        'run.completed',
        'run.handed_off',
        'webhook.test',
      ]);
      for (const message of told)
        expect([message.type, contract.messageViolations(message)]).toEqual([message.type, []]);
      const byId = (a: Message, b: Message) => (a.id < b.id ? -1 : 1);
      const { data } = await events(`since=${since.toISOString()}&order=asc`);
      expect(data).toEqual([...told].sort(byId));
      expect((await events(`agent=${agent}&order=asc`)).data).toEqual(
        data.filter(({ type }) => type !== 'webhook.test'),
      );
    });

    it('list events without subscribers, by type and agent, page by page', async () => {
      const agent = await anAgent('unheard');
      const runs = [];
      for (let i = 0; i < 3; i++) runs.push((await scene.stack.client.startRun(agent)).id);
      await eventually(async () => expect((await events(`agent=${agent}`)).data).toHaveLength(3));
      const seen: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const page = await events(`type=run.completed&agent=${agent}&limit=1${cursor && `&cursor=${cursor}`}`);
        for (const { data } of page.data) {
          const { id } = data as { id: string };
          expect(data).toEqual(await scene.stack.client.run(id));
          seen.push(id);
        }
        cursor = page.next_cursor;
      }
      expect(seen.sort()).toEqual(runs.sort());
      const later = new Date(Date.now() + 60_000).toISOString();
      expect(await events(`agent=${agent}&since=${later}`)).toEqual({ data: [] });
      expect(await events(`agent=${agent}&until=2026-01-01T00:00:00Z`)).toEqual({ data: [] });
    });
  });

  it('show a run as its own address does, also where its output is no object and its cost is not wholly known', async () => {
    const { secret } = await anEndpoint('/alike');
    const steps: JsonObject[] = [
      { id: 'pause', wait: { for: '1s' } },
      { id: 'result', output: ['a', 'list'] },
    ];
    const run = await scene.stack.client.startRun(await scene.stack.client.createAgent({ name: 'alike', steps }));
    await scene.stack.query('update runs set cost_partial = true where id = $1', [run.id]);
    const [received] = await scene.ledger.called('/alike');
    const { data } = verifyMessage(received!, secret);
    expect(data).toMatchObject({ output: { value: ['a', 'list'] }, cost: { amount: '0.00', partial: true } });
    expect(data).toEqual(await scene.stack.client.run(run.id));
  });

  it('do not tell what a definition redacts', async () => {
    const { secret } = await anEndpoint('/discreet');
    const agent = await scene.stack.client.createAgent({
      name: 'discreet',
      input: { type: 'object', properties: { iban: { type: 'string' } } },
      redact: { paths: ['input.iban'] },
      steps: [{ id: 'result', output: { said: ['${{ "It is " + input.iban }}'] } }],
    });
    const run = await scene.stack.client.startRun(agent, { iban: 'DE00 1234' });
    const [received] = await scene.ledger.called('/discreet');
    const { data } = verifyMessage(received!, secret);
    expect(data).toMatchObject({ input: { iban: '[redacted]' } });
    expect(data).toEqual(await scene.stack.client.run(run.id));
    expect(received!.body).not.toMatch(/sealed|1234/);
  });
});
