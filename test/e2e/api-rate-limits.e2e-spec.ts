import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';

const LIMIT = 3;

describe('rate limits', () => {
  let api: TestApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    const env = {
      RATE_LIMIT_REQUESTS: String(LIMIT),
      RATE_LIMIT_TRIGGERS: String(LIMIT),
      RATE_LIMIT_FAILED_AUTHENTICATION: '2',
    };
    api = await startApi({ env });
  });

  beforeEach(async () => {
    tenant = await api.newTenant();
  });

  afterAll(() => api.close());

  const me = (key: string) => api.call('GET', '/v1/me', { key });
  const useUp = async (key: string): Promise<void> => {
    for (let used = 0; used < LIMIT; used++) await me(key);
  };

  it('tell with every answer what is left', async () => {
    const { status, headers } = await me(tenant.adminKey);
    expect(status).toBe(200);
    expect(headers.get('ratelimit-policy')).toBe(`"default";q=${LIMIT};w=60`);
    expect(headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${LIMIT - 1};t=([1-9]|[1-5]\\d|60)$`));
  });

  it('turn a key away that has used up its requests, refusals included, and no other key', async () => {
    const [viewer, other] = [await tenant.key('viewer'), await tenant.key('operator')];
    for (let used = 0; used < LIMIT; used++) {
      expect((await api.call('GET', '/v1/audit-events', { key: viewer })).status).toBe(403);
    }
    const { status, headers, body } = await me(viewer);
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
    expect((await me(other)).status).toBe(200);
  });

  it('never refuse a stop, a resume or a cancellation', async () => {
    const key = tenant.adminKey;
    await useUp(key);
    expect((await me(key)).status).toBe(429);
    expect((await api.call('POST', '/v1/workspace/emergency-stop', { key })).status).toBe(200);
    expect((await api.call('POST', '/v1/workspace/resume', { key })).status).toBe(200);
    const { status, body } = await api.call('POST', '/v1/runs/run_01kahzvk3te9d8q6f0f1v3m2sx/cancel', { key });
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  it('leave alone what needs no key', async () => {
    await useUp(tenant.adminKey);
    for (let asked = 0; asked < LIMIT * 2; asked++) {
      const { status, headers } = await api.call('GET', '/healthz');
      expect([status, headers.get('ratelimit')]).toEqual([200, null]);
    }
  });

  it('limit the calls of the webhook of an agent, and no other agent', async () => {
    const key = tenant.adminKey;
    const anAgent = async (name: string): Promise<{ id: string; webhook_secret: string }> =>
      (await api.call('POST', '/v1/agents', { key, body: { name, steps: [{ id: 'result', output: 1 }] } })).body;
    const [agent, other] = [await anAgent('busy'), await anAgent('quiet')];
    const trigger = ({ id, webhook_secret: secret }: typeof agent) =>
      api.call('POST', `/v1/agents/${id}/trigger`, { headers: { 'X-Service-Webhook-Secret': secret }, body: {} });
    for (let called = 0; called < LIMIT; called++) expect((await trigger(agent)).status).toBe(202);
    const { status, headers, body } = await trigger(agent);
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
    await trigger(agent);
    expect((await trigger(other)).status).toBe(202);
    const events = await api.call('GET', `/v1/agents/${agent.id}/trigger-events?outcome=rate_limited`, { key });
    expect(events.body.data).toHaveLength(1);
  });

  it('end guessing from one address, while valid keys still work', async () => {
    const guess = () => me(`aas_live_${'a'.repeat(49)}`);
    expect([(await guess()).status, (await guess()).status]).toEqual([401, 401]);
    const { status, headers, body } = await guess();
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    expect(headers.has('retry-after')).toBe(true);
    expect((await me(tenant.adminKey)).status).toBe(200);
  });
});
