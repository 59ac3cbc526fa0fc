import { inspect } from 'node:util';
import { eventually } from '../../../test/support/eventually.js';
import { type Fault, FaultProxy, type FaultPlan } from '../../../test/support/fault-proxy.js';
import { Scene } from '../../../test/support/scene.js';
import { aToolAgent } from '../../../test/support/tool-agents.js';
import { AgentAutomation, ApiError, type RunEvent, TimeoutError, verifyWebhook } from '../src/index.js';

const FAULTS: Fault[] = ['before', 'after', 'within'];
/** Number of bytes after which the proxy cuts an event stream. The cut is within the first events of a run. */
const STREAM_BYTES = 300;

/**
 * Returns a fault plan that breaks the first attempt of each request that the client may retry. Three faults alternate:
 * the connection breaks before the service receives the request, before the client receives the response, or within the
 * response. An event stream is always cut after some of its events.
 */
function breakEachFirstTry(): FaultPlan {
  let turn = 0;
  return ({ method, target, headers, times }) => {
    if (times > 1 || (method === 'POST' && headers['idempotency-key'] === undefined)) return undefined;
    return /\/runs\/\w+\/events/.test(target) ? STREAM_BYTES : FAULTS[turn++ % FAULTS.length];
  };
}

/** Returns a definition as JSON text, which is valid YAML. */
const text = (definition: object): string => JSON.stringify(definition);

/** An agent that refunds the amount in its input after an approval. */
const aRefundAgent = (name: string, url: string): Record<string, unknown> => ({
  name,
  input: { type: 'object', properties: { amount: { type: 'number' } } },
  tools: [
    {
      name: 'orders',
      type: 'http',
      base_url: url,
      operations: [
        {
          name: 'refund',
          method: 'POST',
          path: '/refunds',
          request: { type: 'object', properties: { amount: { type: 'number' } } },
        },
      ],
    },
  ],
  policies: [{ name: 'refund', when: 'request.amount > 0.0', action: 'require_approval', approval: 'finance' }],
  approvals: { finance: { approvers: ['finance'], timeout: '1h' } },
  steps: [
    { id: 'refund', tool: 'orders.refund', with: { amount: '${{ input.amount }}' } },
    { id: 'result', output: { refunded: true } },
  ],
});

describe.each([
  ['directly', false],
  ['through a proxy that breaks connections', true],
])('the client, %s', (_title, isProxied) => {
  let scene: Scene;
  let proxy: FaultProxy;
  let aas: AgentAutomation;

  beforeAll(async () => {
    scene = await Scene.start();
    proxy = await FaultProxy.open(() => scene.stack.baseUrl);
    aas = new AgentAutomation({ apiKey: scene.stack.adminKey, baseUrl: proxy.url });
  });
  beforeEach(() => {
    proxy.plan = isProxied ? breakEachFirstTry() : () => undefined;
  });
  afterEach(() => scene.ledger.reset());
  afterAll(async () => {
    await proxy.close();
    await scene.stop();
  });

  it('starts a run by the name of its agent once, and waits for it', async () => {
    const agent = await aas.agents.create(text(aToolAgent('read-once', scene.ledger.url, [['read', '/order']])));
    const started = await aas.runs.start('read-once', { input: {} });
    expect(started).toMatchObject({ agent: agent.id, status: 'queued' });
    expect(await aas.runs.wait(started.id, { timeout: '5m' })).toMatchObject({
      id: started.id,
      status: 'succeeded',
      output: { done: true },
    });
    expect((await aas.runs.list({ agent: agent.id, since: '1h' })).data.map(({ id }) => id)).toEqual([started.id]);
  });

  it('follows a run: each step when it was recorded and when it has changed, and the end', async () => {
    scene.ledger.script('/slow', { hang: true });
    const calls: ['read' | 'write', string][] = [
      ['read', '/slow'],
      ['write', '/fast'],
    ];
    const agent = await aas.agents.create(text(aToolAgent('followed', scene.ledger.url, calls)));
    const { id } = await aas.runs.start(agent.id);
    const events: RunEvent[] = [];
    for await (const event of aas.runs.follow(id)) {
      events.push(event);
      if (event.type !== 'step' || !JSON.stringify(event.data).includes('"status":"running"')) continue;
      await scene.ledger.called('/slow');
      scene.ledger.release('/slow');
    }
    const steps = events.filter(({ type }) => type === 'step').map(({ data }) => JSON.stringify(data));
    expect(new Set(steps).size).toBe(steps.length);
    const last = new Map(steps.map((step) => [JSON.parse(step).n, JSON.parse(step)]));
    expect([...last.values()]).toEqual((await aas.runs.trace(id)).steps);
    expect(events.slice(-2)).toMatchObject([
      { type: 'status', data: { run: id, status: 'succeeded' } },
      { type: 'end', id: 'end', data: { run: id } },
    ]);
  });

  it('leaves a run alone when the time to wait for it is over', async () => {
    scene.ledger.script('/hanging', { hang: true });
    const agent = await aas.agents.create(text(aToolAgent('hanging', scene.ledger.url, [['read', '/hanging']])));
    const { id } = await aas.runs.start(agent.id);
    await scene.ledger.called('/hanging');
    await expect(aas.runs.wait(id, { timeout: '1s' })).rejects.toBeInstanceOf(TimeoutError);
    expect(await aas.runs.get(id)).toMatchObject({ status: 'running' });
    const controller = new AbortController();
    const waiting = aas.runs.wait(id, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    scene.ledger.release('/hanging');
    expect(await aas.runs.wait(id)).toMatchObject({ status: 'succeeded' });
  });

  it('decides an approval as it was read', async () => {
    const { email: member } = await aas.members.create({ email: 'eve@example.com', role: 'operator' });
    await aas.groups.create({ name: 'finance', members: [member] });
    const { key } = await aas.apiKeys.create({ name: 'eve', kind: 'live', role: 'operator', member });
    const eve = new AgentAutomation({ apiKey: key, baseUrl: `${proxy.url}/v1/` });
    const agent = await aas.agents.create(text(aRefundAgent('refund-desk', scene.ledger.url)));
    const { id } = await aas.runs.start(agent.id, { input: { amount: 7 } });
    const approval = await eventually(async () => {
      const [open] = (await eve.approvals.listOfRun(id)).data;
      if (open === undefined) throw new Error('The run has not asked yet.');
      return open;
    });
    const edited = { ...approval, request_revision: approval.request_revision + 1 };
    await expect(eve.approvals.decide(edited, { decision: 'approve' })).rejects.toMatchObject({
      status: 412,
      code: 'precondition_failed',
    });
    expect(await eve.approvals.decide(approval, { decision: 'approve' })).toMatchObject({ status: 'approved' });
    expect(await aas.runs.wait(id, { timeout: '5m' })).toMatchObject({ status: 'succeeded' });
  });

  it('reads a list to its end, each item once', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `member-${index}@example.com`);
    for (const email of names) await aas.members.create({ email, role: 'viewer' });
    const seen: string[] = [];
    for await (const { email } of aas.members.list({ limit: 2, order: 'asc' })) seen.push(email);
    expect(seen.filter((email) => email.startsWith('member-'))).toEqual(names);
    const sizes: number[] = [];
    for await (const { data } of aas.members.list({ limit: 5 }).pages()) sizes.push(data.length);
    expect(sizes.reduce((sum, each) => sum + each, 0)).toBe(seen.length);
  });

  it('changes and deletes', async () => {
    await aas.secrets.put('token', { value: 'hidden' });
    expect((await aas.secrets.list()).data).toMatchObject([{ name: 'token' }]);
    expect(await aas.secrets.delete('token')).toBeUndefined();
    expect((await aas.secrets.list()).data).toEqual([]);
    await aas.groups.create({ name: 'support', members: ['admin@example.com'] });
    expect(await aas.groups.update('support', { members: [] })).toMatchObject({ name: 'support', members: [] });
    await aas.groups.delete('support');
  });

  it('keeps the text of a definition', async () => {
    const definition = '# Greets.\nname: greeter\nsteps:\n  - id: result\n    output: { greeting: hello }\n';
    const agent = await aas.agents.create(definition);
    expect(await aas.versions.definition(agent.name, 1)).toBe(definition);
    expect(await aas.definitions.validate(definition)).toMatchObject({ valid: true });
  });

  it('verifies the messages of the service', async () => {
    const url = `${scene.ledger.url}/hook`;
    const { secret } = await aas.webhookEndpoints.create({ url, events: ['run.completed'] });
    const agent = await aas.agents.create(text(aToolAgent('announced', scene.ledger.url, [['read', '/order']])));
    const { id } = await aas.runs.start(agent.id);
    const [call] = await scene.ledger.called('/hook');
    const event = await verifyWebhook(call!.body, call!.headers, secret);
    expect(event).toMatchObject({ type: 'run.completed', data: { id } });
    await expect(verifyWebhook(`${call!.body} `, call!.headers, secret)).rejects.toThrow('webhook-signature');
  });

  it('rejects with the refusal of the service', async () => {
    const error = await aas.runs.get('run_unknown').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 404,
      code: 'not_found',
      problem: { status: 404, title: expect.any(String) },
    });
    expect((error as ApiError).requestId).toMatch(/^req_/);
    await expect(aas.agents.create({ name: 'Not a name' })).rejects.toMatchObject({ code: 'definition_invalid' });
  });

  it('shows its key nowhere', async () => {
    const apiKey = scene.stack.adminKey;
    const clients = [
      new AgentAutomation({ apiKey: `${apiKey}x`, baseUrl: proxy.url }),
      new AgentAutomation({ apiKey, baseUrl: 'http://127.0.0.1:9' }),
    ];
    const errors = await Promise.all(clients.map((client) => client.me.get().catch((thrown: unknown) => thrown)));
    expect(errors).toMatchObject([{ status: 401 }, { name: 'ConnectionError' }]);
    for (const value of [...clients, aas.runs, ...errors]) {
      const shown = [inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value), String(value)];
      expect(shown.filter((text) => text.includes(apiKey.slice(9)))).toEqual([]);
    }
  });
});

describe('the client and connections that break', () => {
  let scene: Scene;
  let proxy: FaultProxy;
  let aas: AgentAutomation;

  beforeAll(async () => {
    scene = await Scene.start();
    proxy = await FaultProxy.open(() => scene.stack.baseUrl);
    aas = new AgentAutomation({ apiKey: scene.stack.adminKey, baseUrl: proxy.url });
    await aas.agents.create(text(aToolAgent('once', scene.ledger.url, [['write', '/once']])));
  });
  afterEach(() => {
    proxy.plan = () => undefined;
    proxy.requests.length = 0;
    scene.ledger.reset();
  });
  afterAll(async () => {
    await proxy.close();
    await scene.stop();
  });

  const runs = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of aas.runs.list({ order: 'asc' })) ids.push(id);
    return ids;
  };
  const starts = () => proxy.requests.filter(({ method, target }) => method === 'POST' && target.endsWith('/runs'));
  const pairs = FAULTS.flatMap((first) => FAULTS.map((second) => [first, second] as const));

  it.each(pairs)('start one run when the connection breaks %s and then %s', async (first, second) => {
    const before = await runs();
    const faults = [first, second];
    proxy.plan = ({ method }) => (method === 'POST' ? faults.shift() : undefined);
    const { id } = await aas.runs.start('once');
    proxy.plan = () => undefined;
    expect(await aas.runs.wait(id)).toMatchObject({ status: 'succeeded' });
    expect(await runs()).toEqual([...before, id]);
    expect(scene.ledger.callsOf('/once').map(({ run }) => run)).toEqual([id]);
    expect(starts()).toHaveLength(3);
    expect(new Set(starts().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('start at most one run when each try fails, and a repetition under the same key finds it', async () => {
    const before = await runs();
    proxy.plan = ({ method }) => (method === 'POST' ? 'after' : undefined);
    const options = { idempotencyKey: 'order-1001' };
    await expect(aas.runs.start('once', {}, options)).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(starts()).toHaveLength(3);
    proxy.plan = () => undefined;
    const { id } = await aas.runs.start('once', {}, options);
    await aas.runs.wait(id);
    expect(await runs()).toEqual([...before, id]);
  });

  it('send a decision once, because it takes no key', async () => {
    proxy.plan = () => 'after';
    const decision = aas.approvals.decide({ id: 'apr_x', run: 'run_x', request_revision: 1 }, { decision: 'approve' });
    await expect(decision).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(proxy.requests).toHaveLength(1);
  });

  it('report each step of a stream once, however often it is cut', async () => {
    const calls = Array.from({ length: 5 }, (_, n): ['read', string] => ['read', `/call-${n}`]);
    await aas.agents.create(text(aToolAgent('cut', scene.ledger.url, calls)));
    const { id } = await aas.runs.start('cut');
    await aas.runs.wait(id);
    const whole: RunEvent[] = [];
    for await (const event of aas.runs.follow(id)) whole.push(event);
    let streams = 0;
    // Each connection carries more bytes than the previous one, and breaks within an event.
    proxy.plan = ({ target }) => (target.includes('/events') ? 150 * ++streams : undefined);
    const events: RunEvent[] = [];
    for await (const event of aas.runs.follow(id)) events.push(event);
    expect(streams).toBeGreaterThan(3);
    expect(events).toEqual(whole);
    expect(events.filter(({ type }) => type === 'step').map(({ data }) => data)).toEqual(
      (await aas.runs.trace(id)).steps,
    );
  });
});
