import { readFile } from 'node:fs/promises';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/mail-server.js';
import { McpTestServer } from '../support/mcp-test-server.js';
import { ModelScene } from '../support/model-scene.js';
import { aGroup, aPerson } from '../support/people.js';
import type { Scene } from '../support/scene.js';

/** Runs the examples of the README. The definitions differ from the README only in the addresses of their servers. */
describe('the example', () => {
  let stage: ModelScene;
  let scene: Scene;
  let mail: MailServer;
  let mcp: McpTestServer;

  beforeAll(async () => {
    [mail, mcp] = await Promise.all([MailServer.start(), McpTestServer.start()]);
    stage = await ModelScene.start();
    scene = stage.scene;
    await scene.stack.lead('mail', mail.url);
  });
  afterEach(() => {
    stage.reset();
    mail.reset();
    mcp.reset();
  });
  afterAll(async () => {
    await stage.stop();
    await Promise.all([mail.close(), mcp.close()]);
  });

  const create = async (name: string): Promise<string> => {
    const text = (await readFile(`test/fixtures/agents/${name}.yaml`, 'utf8'))
      .replaceAll(/https:\/\/(erp|metrics)\.example|http:\/\/127\.0\.0\.1:4000/g, scene.ledger.url)
      .replaceAll('https://mcp-mail.example/mcp', mcp.url);
    const response = await fetch(`${scene.stack.baseUrl}/v1/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/yaml' },
      body: text,
    });
    const body = (await response.json()) as { id: string };
    expect({ status: response.status, body }).toMatchObject({ status: 201 });
    return body.id;
  };
  const ends = (id: string) =>
    eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });
  const run = async (agent: string, input: Record<string, string> = {}) =>
    ends((await scene.stack.client.startRun(agent, input)).id);

  it('handbook-answerer answers from what it may read, and cites it', async () => {
    const { client } = scene.stack;
    const { id: base } = await client.expect<{ id: string }>('POST', '/v1/knowledge-bases', { name: 'handbook' });
    const sources = `/v1/knowledge-bases/${base}/sources`;
    const { id: source } = await client.expect<{ id: string }>('POST', sources, { connector: 'upload' });
    const pushed = { name: 'leave.md', text: '# Leave\n\nEverybody has thirty days of leave.' };
    await client.expect('POST', `${sources}/${source}/documents`, pushed);
    const find = async (): Promise<string> => {
      const query = { query: 'days of leave' };
      const { data } = await client.expect<{ data: { document: { id: string } }[] }>(
        'POST',
        `/v1/knowledge-bases/${base}/search`,
        query,
      );
      expect(data).toHaveLength(1);
      return data[0]?.document.id ?? '';
    };
    const document = await eventually(find);
    const agent = await create('handbook-answerer');
    const { member } = await client.expect<{ member: string }>('GET', '/v1/me');
    await client.expect('PUT', `/v1/knowledge-bases/${base}/access`, { agents: [agent], users: [member] });
    const text = `Thirty days [${document}#0].`;
    stage.models.respondWith({ text });
    expect(await run(agent, { question: 'How much leave do I have?' })).toMatchObject({
      status: 'succeeded',
      output: { text },
    });
    expect(JSON.stringify(stage.models.requests[0]?.messages)).toContain('thirty days of leave');
  });

  it('invoice-router posts what adds up, hands blocked vendors over and tells of what does not', async () => {
    const agent = await create('invoice-router');
    const invoice = { total: 120, tax: 20, vendor: { name: 'Acme', blocked: false } };
    scene.ledger.always('/invoices/1', { body: { ...invoice, lines: [{ quantity: 2, unit_price: 50, amount: 100 }] } });
    expect(await run(agent, { invoice_id: '1' })).toMatchObject({
      status: 'succeeded',
      output: { posted: true, net: 100 },
    });
    expect(scene.ledger.callsOf('/invoices/1/post')[0]?.idempotencyKey).not.toBe('');
    const blocked = { ...invoice, vendor: { name: 'Acme', blocked: true }, lines: [] };
    scene.ledger.always('/invoices/2', { body: blocked });
    expect(await run(agent, { invoice_id: '2' })).toMatchObject({
      status: 'handed_off',
      output: { to: ['accounts-payable'], reason: 'Acme is blocked' },
    });
    scene.ledger.always('/invoices/3', { body: { ...invoice, lines: [{ quantity: 2, unit_price: 50, amount: 99 }] } });
    expect(await run(agent, { invoice_id: '3' })).toMatchObject({
      status: 'failed',
      error: { code: 'assertion_failed' },
    });
    expect(mail.mails).toMatchObject([{ to: ['admin@example.com'], headers: { subject: 'invoice 3 failed' } }]);
  });

  it('mcp-agent looks something up and replies, but not at length', async () => {
    await scene.stack.client.call('PUT', '/v1/secrets/MAIL_TOKEN', { value: 'mail-token-1' }).catch(() => undefined);
    const agent = await create('mcp-agent');
    expect(await run(agent, { question: 'why' })).toMatchObject({
      status: 'succeeded',
      output: { replied: 'did send_reply' },
    });
    expect(mcp.calls.map(({ name }) => name)).toEqual(['look_up', 'send_reply']);
    expect(await run(agent, { question: 'why '.repeat(60) })).toMatchObject({ error: { code: 'tool_denied' } });
    expect(mcp.calls).toHaveLength(3);
  });

  it('nightly-report mails the figures, also when one of them is not to be had', async () => {
    const agent = await create('nightly-report');
    scene.ledger.always('/orders/today', { body: { count: 7 } });
    scene.ledger.always('/incidents/today', { status: 404 });
    expect(await run(agent)).toMatchObject({ status: 'succeeded', output: { orders: 7 } });
    expect(mail.mails).toMatchObject([
      { to: ['ops@example.com', 'boss@example.com'], headers: { subject: 'Today: 7 orders' } },
    ]);
    expect(mail.mails[0]?.raw).toContain('Incidents: unknown');
    const { data } = await scene.stack.client.expect<{ data: Record<string, unknown>[] }>(
      'GET',
      `/v1/agents/${agent}/triggers`,
    );
    expect(data).toMatchObject([{ id: 'evening', type: 'schedule', health: 'ok' }]);
    expect(String(data[0]?.next_fire_at)).toMatch(/T2[01]:00:00/);
  });

  it('refund-desk refunds what is small by itself and asks finance about what is large', async () => {
    const fay = await aPerson(scene.stack, 'fay@example.com');
    await aGroup(scene.stack, 'finance', ['fay@example.com']);
    const agent = await create('refund-desk');
    const refund = (amount: number) => ({ calls: [{ name: 'orders_refund', input: { order_id: '7', amount } }] });
    const looks = { calls: [{ name: 'orders_get', input: { order_id: '7' } }] };
    const answer = { text: '{"resolution": "refunded", "reply": "Done."}' };
    const mailed = { from: 'a@x.com', subject: 'Refund 7', body: 'Please.' };
    stage.models.respondWith(looks, refund(40), answer);
    expect(await run(agent, mailed)).toMatchObject({ status: 'succeeded', output: { resolution: 'refunded' } });
    expect(scene.ledger.callsOf('/orders/7/refunds').map(({ body }) => body)).toEqual(['{"amount":40}']);
    stage.models.respondWith(refund(900), answer);
    const { id } = await scene.stack.client.startRun(agent, mailed);
    const asked = await eventually(async () => {
      const { data } = await fay.expect<{ data: { id: string; run: string }[] }>('GET', '/v1/approvals?status=open');
      const found = data.find((each) => each.run === id);
      expect(found).toBeDefined();
      return found;
    });
    await fay.expect('POST', `/v1/runs/${id}/approvals/${asked?.id}`, { decision: 'approve' });
    expect(await ends(id)).toMatchObject({ status: 'succeeded' });
    expect(scene.ledger.callsOf('/orders/7/refunds').map(({ body }) => body)).toEqual([
      '{"amount":40}',
      '{"amount":900}',
    ]);
  });
});
