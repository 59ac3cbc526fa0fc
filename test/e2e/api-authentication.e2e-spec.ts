import { type Role, ROLES, type Scope, scopesOf, WorkspaceBootstrapService } from '@app/workspace';
import { accessOf } from '../../apps/api/src/http/access.decorators.js';
import { type Route, RouteTableService } from '../../apps/api/src/http/route-table.service.js';
import { greeterNamed } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';
import { createTestDatabase } from '../support/postgres.js';
import { sendRaw } from '../support/raw-http.js';

describe('authentication', () => {
  let api: TestApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await startApi();
    tenant = await api.newTenant();
  });

  afterAll(() => api.close());

  /** Returns a request for every route. The ids in the paths do not exist. */
  function requestsTo(routes: readonly Route[]): { route: Route; path: string }[] {
    const some = { id: 'agt_01kahzvk3te9d8q6f0f1v3m2sx', n: '1' };
    return routes.map((route) => ({
      route,
      path: route.path
        .replace(':id', route.path.startsWith('/v1/runs') ? 'run_01kahzvk3te9d8q6f0f1v3m2sx' : some.id)
        .replace(':n', some.n),
    }));
  }

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
      const unknown = (await otherInstallationsKey()).key;
      const { status, body } = await api.call('GET', '/v1/me', { key: unknown });
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

    async function otherInstallationsKey(): Promise<{ key: string }> {
      const elsewhere = await createTestDatabase();
      const other = await startApi({ databaseUrl: elsewhere.url });
      try {
        const bootstrap = other.app.get(WorkspaceBootstrapService, { strict: false });
        return await bootstrap.createWorkspace({ name: 'elsewhere', adminEmail: 'eve@example.com' });
      } finally {
        await other.close();
        await elsewhere.drop();
      }
    }
  });

  describe('every route', () => {
    it('is open, or asks for a key', async () => {
      for (const { route, path } of requestsTo(api.app.get(RouteTableService).all())) {
        const { status } = await api.call(route.method, path);
        const isPublic = accessOf(route.handler)?.kind === 'public';
        expect([route.name, status === 401]).toEqual([route.name, !isPublic]);
      }
    });

    it('lets a role in exactly when the role has the scopes it names', async () => {
      const routes = requestsTo(api.app.get(RouteTableService).all());
      for (const role of ROLES) {
        const key = await tenant.key(role);
        for (const { route, path } of routes) {
          const access = accessOf(route.handler);
          if (access?.kind !== 'key') continue;
          const has = (scope: Scope): boolean => scopesOf(role).has(scope);
          const allowed = access.scopes.every(has) && (access.anyOf?.some(has) ?? true);
          const { status } = await api.call(route.method, path, { key });
          expect([role, route.name, status === 403]).toEqual([role, route.name, !allowed]);
        }
      }
    });

    it.each<[Role, string, string, boolean]>([
      ['viewer', 'GET', '/v1/agents', true],
      ['viewer', 'GET', '/v1/runs', true],
      ['viewer', 'POST', '/v1/agents', false],
      ['viewer', 'POST', '/v1/agents/:id/runs', false],
      ['viewer', 'POST', '/v1/runs/:id/cancel', false],
      ['operator', 'POST', '/v1/agents/:id/runs', true],
      ['operator', 'POST', '/v1/runs/:id/cancel', true],
      ['operator', 'POST', '/v1/agents', false],
      ['operator', 'POST', '/v1/agents/:id/pause', false],
      ['builder', 'POST', '/v1/agents', true],
      ['builder', 'POST', '/v1/agents/:id/versions', true],
      ['builder', 'POST', '/v1/agents/:id/pause', true],
    ])('as decided: a %s may %s %s: %s', async (role, method, path, allowed) => {
      const [request] = requestsTo(
        api.app
          .get(RouteTableService)
          .all()
          .filter((each) => each.method === method && each.path === path),
      );
      const { status } = await api.call(method, request?.path ?? '/none', { key: await tenant.key(role) });
      expect(status === 403).toBe(!allowed);
      expect(request).toBeDefined();
    });
  });

  it('never shows or changes anything of another workspace: its ids are unknown', async () => {
    const owner = await api.newTenant();
    const yaml = { 'Content-Type': 'application/yaml' };
    const created = await api.call('POST', '/v1/agents', {
      key: owner.adminKey,
      body: greeterNamed('mine'),
      headers: yaml,
    });
    const agent: string = created.body.id;
    const started = await api.call('POST', `/v1/agents/${agent}/runs`, {
      key: owner.adminKey,
      body: { input: { name: 'Ada' } },
    });
    const run: string = started.body.id;
    const stranger = await api.newTenant();
    const unknownAgent = `${agent.slice(0, -4)}zzzz`;
    const attempts: [string, string, object?][] = [
      ['GET', '/v1/agents/:agent'],
      ['GET', '/v1/agents/:agent/versions'],
      ['GET', '/v1/agents/:agent/versions/1'],
      ['POST', '/v1/agents/:agent/pause'],
      ['POST', '/v1/agents/:agent/resume'],
      ['POST', '/v1/agents/:agent/runs', { input: { name: 'Eve' } }],
      ['GET', '/v1/runs/:run'],
      ['GET', '/v1/runs/:run/trace'],
      ['POST', '/v1/runs/:run/cancel'],
    ];
    for (const [method, template, body] of attempts) {
      const path = template.replace(':agent', agent).replace(':run', run);
      const answer = await api.call(method, path, { key: stranger.adminKey, body });
      expect([template, answer.status, answer.body.code]).toEqual([template, 404, 'not_found']);
    }
    const foreign = await api.call('GET', `/v1/agents/${agent}`, { key: stranger.adminKey });
    const unknown = await api.call('GET', `/v1/agents/${unknownAgent}`, { key: stranger.adminKey });
    expect(foreign.body.detail.replace(agent, '')).toBe(unknown.body.detail.replace(unknownAgent, ''));
    expect((await api.call('GET', '/v1/agents', { key: stranger.adminKey })).body).toEqual({ data: [] });
    expect((await api.call('GET', `/v1/runs?agent=${agent}`, { key: stranger.adminKey })).body).toEqual({ data: [] });
    expect((await api.call('GET', `/v1/runs/${run}`, { key: owner.adminKey })).body).toMatchObject({
      status: 'queued',
    });
    expect((await api.call('GET', `/v1/agents/${agent}`, { key: owner.adminKey })).body).toMatchObject({
      status: 'active',
    });
  });
});
