import type { HttpApi } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

/** Maximum number of endpoints per workspace (`MAX_ENDPOINTS` in webhook-endpoints.service.ts). */
const MOST = 100;
const UNKNOWN_AGENT = 'agt_01kahzvk3te9d8q6f0f1v3m2sx';

const REFUSED_URLS = [
  'http://example.com/hooks',
  'ftp://example.com/hooks',
  'example.com/hooks',
  '',
  'https://user:password@example.com/hooks',
  'https://localhost/hooks',
  'https://localhost./hooks',
  'https://intranet/hooks',
  'https://service.internal/hooks',
  'https://metadata.google.internal/computeMetadata/v1/',
  'https://127.0.0.1/hooks',
  'https://127.1/hooks',
  'https://2130706433/hooks',
  'https://0x7f000001/hooks',
  'https://0177.0.0.1/hooks',
  'https://0.0.0.0/hooks',
  'https://10.1.2.3/hooks',
  'https://172.16.0.1/hooks',
  'https://192.168.1.1/hooks',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/hooks',
  'https://[::1]/hooks',
  'https://[::ffff:127.0.0.1]/hooks',
  'https://[::7f00:1]/hooks',
  'https://[fd00::1]/hooks',
  'https://[fe80::1]/hooks',
  'https://[2002:7f00:1::]/hooks',
];

describe('webhook endpoints', () => {
  let api: HttpApi;

  beforeAll(async () => {
    api = await sharedApi();
  });

  afterAll(() => api.close());

  const aWorkspace = async () => {
    const { adminKey: key } = await api.newTenant();
    const call = (method: string, path: string, body?: object) =>
      api.call(method, `/v1/webhook-endpoints${path}`, { key, ...(body && { body }) });
    const create = (url: string) => call('POST', '', { url, events: ['run.completed'] });
    return { call, create };
  };

  it.each(REFUSED_URLS)('are not made at %j, nor moved there', async (url) => {
    const { call, create } = await aWorkspace();
    const refused = await create(url);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect(refused.body.errors[0].pointer).toBe('/url');
    const { id } = (await create('https://example.com/hooks')).body;
    expect((await call('PATCH', `/${id}`, { url })).status).toBe(400);
    expect((await call('GET', `/${id}`)).body.url).toBe('https://example.com/hooks');
  });

  it('may be where the operator allows it, without encryption there', async () => {
    const { create } = await aWorkspace();
    expect((await create('http://127.0.0.1:8080/hooks')).status).toBe(201);
    expect((await create('http://127.0.0.1:8081/hooks')).status).toBe(400);
  });

  it('are not for agents that there are not, nor for those of another workspace', async () => {
    const { adminKey: key } = await api.newTenant();
    const { adminKey: stranger } = await api.newTenant();
    const call = (method: string, path: string, body: object, as = key) => api.call(method, path, { key: as, body });
    const steps = [{ id: 'result', output: {} }];
    const mine = (await call('POST', '/v1/agents', { name: 'mine', steps })).body.id;
    const theirs = (await call('POST', '/v1/agents', { name: 'theirs', steps }, stranger)).body.id;
    const subscription = { url: 'https://example.com/hooks', events: ['run.completed'] };
    for (const id of [theirs, UNKNOWN_AGENT]) {
      const refused = await call('POST', '/v1/webhook-endpoints', { ...subscription, agents: [mine, id] });
      expect([refused.status, refused.body.code]).toEqual([422, 'unknown_reference']);
      expect(refused.body.errors[0].pointer).toBe('/agents/1');
    }
    const made = await call('POST', '/v1/webhook-endpoints', { ...subscription, agents: [mine] });
    expect([made.status, made.body.agents]).toEqual([201, [mine]]);
    const path = `/v1/webhook-endpoints/${made.body.id}`;
    expect((await call('PATCH', path, { agents: [UNKNOWN_AGENT] })).status).toBe(422);
    expect((await call('PATCH', path, { agents: null })).body.agents).toBeNull();
    const elsewhere = await call('PATCH', path, { agents: [UNKNOWN_AGENT] }, stranger);
    expect(elsewhere.status).toBe(404);
  });

  it('are as many as the operator allows, also when they are made at the same time, and there is room after a deletion', async () => {
    const { call, create } = await aWorkspace();
    const url = (n: number) => `https://example.com/hooks/${n}`;
    const LEFT = 4;
    for (let n = 0; n < MOST - LEFT; n++) expect((await create(url(n))).status).toBe(201);
    const answers = await Promise.all(Array.from({ length: LEFT + 6 }, (_, n) => create(url(MOST + n))));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(LEFT);
    for (const { status, body } of answers.filter((answer) => !made.includes(answer)))
      expect([status, body.code]).toEqual([409, 'limit_reached']);
    expect((await call('GET', `?limit=${MOST}`)).body.data).toHaveLength(MOST);
    const { create: createElsewhere } = await aWorkspace();
    expect((await createElsewhere(url(0))).status).toBe(201);
    expect((await call('DELETE', `/${made[0]?.body.id}`)).status).toBe(204);
    expect((await create(url(200))).status).toBe(201);
    expect((await create(url(201))).status).toBe(409);
  });
});
