import { newApiKey } from '@app/platform/crypto';
import { scopesOf } from '@app/workspace';
import { greeterNamed } from '../fixtures/definitions.js';
import type { HttpApi, TestTenant } from '../support/http-api.js';
import { sendRaw } from '../support/raw-http.js';
import { sharedApi } from '../support/shared-api.js';

describe('authentication', () => {
  let api: HttpApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
  });

  afterAll(() => api.close());

  describe('a key', () => {
    it('says on whose behalf it acts', async () => {
      const { status, body } = await api.call('GET', '/v1/me', { key: await tenant.key('builder', 'test') });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        member: 'builder@example.com',
        role: 'builder',
        key: { id: expect.stringMatching(/^key_/), kind: 'test', name: 'builder test' },
        workspace: { id: tenant.workspaceId },
      });
      expect(body.scopes).toEqual([...scopesOf('builder')].sort());
    });

    it('is needed', async () => {
      const { status, headers, body } = await api.call('GET', '/v1/agents');
      expect([status, body.code]).toEqual([401, 'missing_api_key']);
      expect(headers.get('www-authenticate')).toBe('Bearer realm="agent-automation-service"');
    });

    it.each([
      ['is no key', 'hello'],
      ['has a wrong checksum', `aas_live_${'a'.repeat(49)}`],
      ['is very long', `aas_live_${'a'.repeat(400)}`],
    ])('that %s is refused', async (_what, key) => {
      const { status, headers, body } = await api.call('GET', '/v1/agents', { key });
      expect([status, body.code]).toEqual([401, 'invalid_api_key']);
      expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
    });

    it.each(['Basic dXNlcjpwYXNz', 'aas_live_x', 'Bearer'])('is not looked for in %j', async (Authorization) => {
      const { status, body } = await api.call('GET', '/v1/agents', { headers: { Authorization } });
      expect([status, body.code]).toEqual([401, 'invalid_api_key']);
    });

    it('is not chosen from two Authorization headers', async () => {
      const line = `Authorization: Bearer ${tenant.adminKey}\r\n`;
      const { status, body } = await sendRaw(
        api.port,
        `GET /v1/me HTTP/1.1\r\nHost: x\r\n${line}${line}Connection: close\r\n\r\n`,
      );
      expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_request']);
    });

    it('that is well-formed but unknown looks like one that was never made', async () => {
      const { status, body } = await api.call('GET', '/v1/me', { key: newApiKey('live').key });
      expect([status, body.code]).toEqual([401, 'invalid_api_key']);
    });

    it('that has expired is refused and says since when', async () => {
      const made = await newKey({ name: 'short-lived', expires_at: '2999-01-01T00:00:00Z' });
      await api.execute(`update api_keys set expires_at = '2020-01-01T00:00:00Z' where id = '${made.id}'`);
      const { key } = made;
      const { status, headers, body } = await api.call('GET', '/v1/me', { key });
      expect([status, body.code]).toEqual([401, 'expired_api_key']);
      expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
      expect(body.detail).toContain('2020-01-01');
    });

    it('is checked before anything that the request contains', async () => {
      const headers = { 'Content-Type': 'application/json' };
      const { status } = await api.call('POST', '/v1/agents/agt_1/runs?x=1', { body: '{nonsense', headers });
      expect(status).toBe(401);
    });

    it('narrowed to one scope opens nothing else', async () => {
      const { key } = await newKey({ name: 'reader', scopes: ['runs:read'] });
      expect((await api.call('GET', '/v1/runs', { key })).status).toBe(200);
      const refused = await api.call('GET', '/v1/agents', { key });
      expect([refused.status, refused.body]).toMatchObject([
        403,
        { code: 'insufficient_scope', required_scope: 'agents:read', required_role: 'viewer' },
      ]);
      expect((await api.call('GET', '/v1/me', { key })).body.scopes).toEqual(['runs:read']);
      expect((await api.call('GET', '/v1/workspace', { key })).status).toBe(200);
    });

    async function newKey(more: object): Promise<{ id: string; key: string }> {
      const body = { kind: 'live', role: 'admin', member: 'admin@example.com', ...more };
      const { status, body: made } = await api.call('POST', '/v1/api-keys', { key: tenant.adminKey, body });
      expect(status).toBe(201);
      return made as { id: string; key: string };
    }
  });

  it('answers an id of another workspace like an unknown one', async () => {
    const owner = await api.newTenant();
    const headers = { 'Content-Type': 'application/yaml' };
    const created = await api.call('POST', '/v1/agents', { key: owner.adminKey, body: greeterNamed('mine'), headers });
    const agent: string = created.body.id;
    const unknownAgent = `${agent.slice(0, -4)}zzzz`;
    const foreign = await api.call('GET', `/v1/agents/${agent}`, { key: tenant.adminKey });
    const unknown = await api.call('GET', `/v1/agents/${unknownAgent}`, { key: tenant.adminKey });
    expect(foreign.status).toBe(404);
    expect(foreign.body.detail.replace(agent, '')).toBe(unknown.body.detail.replace(unknownAgent, ''));
  });
});
