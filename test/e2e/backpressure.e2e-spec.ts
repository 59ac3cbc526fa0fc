import { GREETER } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import { eventually } from '../support/eventually.js';

describe('a workspace with too many waiting runs', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi({ env: { MAX_QUEUED_RUNS: '3', RATE_LIMIT_TRIGGERS: '0' } });
  });

  afterAll(() => api.close());

  const anAgent = async () => {
    const { adminKey: key } = await api.newTenant();
    const headers = { 'Content-Type': 'application/yaml' };
    const { id, webhook_secret: secret } = (await api.call('POST', '/v1/agents', { key, body: GREETER, headers })).body;
    const start = (headers: Record<string, string> = {}) =>
      api.call('POST', `/v1/agents/${id}/runs`, { key, body: { input: { name: 'Ada' } }, headers });
    const trigger = (delivery: string) =>
      api.call('POST', `/v1/agents/${id}/trigger`, {
        body: { name: 'Ada' },
        headers: { 'X-Service-Webhook-Secret': secret, 'webhook-id': delivery },
      });
    const turnedAway = async () =>
      (await api.call('GET', `/v1/agents/${id}/trigger-events?outcome=rate_limited`, { key })).body.data;
    return { start, trigger, turnedAway };
  };

  it('is asked to retry later, while other workspaces are served and no accepted run is lost', async () => {
    const [full, other] = [await anAgent(), await anAgent()];
    const known = { 'Idempotency-Key': 'accepted-before' };
    const first = await full.start(known);
    expect(first.status).toBe(202);
    const accepted: string[] = [];
    await eventually(async () => {
      const { status, headers, body } = await full.start();
      if (status === 202) accepted.push(body.id);
      expect([status, body.code]).toEqual([429, 'rate_limited']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    });
    expect(accepted.length).toBeGreaterThanOrEqual(2);
    // A repeated idempotency key starts no new run.
    expect(await full.start(known)).toMatchObject({ status: 202, body: { id: first.body.id } });
    expect((await full.start({ 'Idempotency-Key': 'another' })).status).toBe(429);
    expect((await other.start()).status).toBe(202);
    await api.execute(`update runs set wake_at = 'infinity' where status = 'queued'`);
    await eventually(async () => expect((await full.start()).status).toBe(202));
  });

  it('answers deliveries of a webhook that had started a run before, and turns new ones away with a line in the log', async () => {
    const { trigger, turnedAway } = await anAgent();
    const first = await trigger('first');
    expect(first).toMatchObject({ status: 202, body: { status: 'queued', duplicate: false } });
    let sent = 0;
    await eventually(async () => expect((await trigger(`another-${(sent += 1)}`)).status).toBe(429));
    const refused = await trigger('refused');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await trigger('first')).toMatchObject({ status: 202, body: { run: first.body.run, duplicate: true } });
    expect(await turnedAway()).toEqual([expect.objectContaining({ trigger: 'webhook', run: null })]);
    await api.execute(`update runs set wake_at = 'infinity' where status = 'queued'`);
    await eventually(async () => expect((await trigger('refused')).body).toMatchObject({ duplicate: false }));
  });
});
