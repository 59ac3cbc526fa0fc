import { GREETER } from '../fixtures/definitions.js';
import type { ApiAnswer, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

describe('a refusal says what to do', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let agent: string;
  let base: string;

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
    const headers = { 'Content-Type': 'application/yaml' };
    agent = (await call('POST', '/v1/agents', GREETER, headers)).body.id;
    base = (await call('POST', '/v1/knowledge-bases', { name: 'handbook' })).body.id;
  });

  afterAll(() => api.close());

  const call = (
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
    key = tenant.adminKey,
  ): Promise<ApiAnswer> => api.call(method, path, { key, body, headers });

  it('where the input of a run is at the top level of the body', async () => {
    const { status, body } = await call('POST', `/v1/agents/${agent}/runs`, { name: 'Ada' });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    const suggestion = 'If the field is part of the input, move it into `input`: {"input": {"name": …}}.';
    expect(body.errors).toEqual([{ pointer: '/name', detail: 'There is no field "name".', suggestion }]);
    expect(body.detail).toContain(suggestion);
  });

  describe('where the name of a resource is given instead of its id', () => {
    it.each<[string, () => [method: string, path: string, body?: object], number, string]>([
      ['in the path', () => ['GET', '/v1/agents/greeter'], 404, ''],
      ['in the path of a start', () => ['POST', '/v1/agents/greeter/runs', { input: { name: 'Ada' } }], 404, ''],
      ['as a filter of runs', () => ['GET', '/v1/runs?agent=greeter'], 400, '/query/agent'],
      ['as a filter of usage', () => ['GET', '/v1/usage?group_by=day&agent=greeter'], 400, '/query/agent'],
      ['as a filter of events', () => ['GET', '/v1/events?agent=greeter'], 400, '/query/agent'],
      [
        'in a subscription',
        () => [
          'POST',
          '/v1/webhook-endpoints',
          { url: 'https://example.com/', events: ['run.completed'], agents: [agent, 'greeter'] },
        ],
        400,
        '/agents/1',
      ],
      [
        'in a grant',
        () => ['PUT', `/v1/knowledge-bases/${base}/access`, { agents: [agent, 'greeter'] }],
        422,
        '/agents/1',
      ],
    ])('%s', async (_, request, status, pointer) => {
      const answer = await call(...request());
      const suggestion = `"greeter" is the name of ${agent}. Use this id.`;
      expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(suggestion)]);
      const places = pointer === '' ? undefined : [expect.objectContaining({ pointer, suggestion })];
      expect(answer.body.errors).toEqual(places);
    });

    it('also of a knowledge base', async () => {
      const { status, body } = await call('GET', '/v1/knowledge-bases/handbook');
      const detail = `There is no knowledge base "handbook". "handbook" is the name of ${base}. Use this id.`;
      expect([status, body.detail]).toEqual([404, detail]);
      const sources = await call('GET', '/v1/knowledge-bases/handbook/sources/src_1');
      expect([sources.status, sources.body.detail]).toEqual([404, detail]);
    });

    it('but not where it is the name of a resource of another workspace', async () => {
      const stranger = await api.newTenant();
      const { status, body } = await call('GET', '/v1/agents/greeter', undefined, {}, stranger.adminKey);
      expect([status, body.detail]).toEqual([404, 'There is no agent "greeter".']);
    });

    it('nor to a key that may do nothing with such resources', async () => {
      const member = 'admin@example.com';
      const narrow = { name: 'narrow', kind: 'live', role: 'admin', member, scopes: ['runs:read'] };
      const { key } = (await call('POST', '/v1/api-keys', narrow)).body;
      const { status, body } = await call('GET', '/v1/runs?agent=greeter', undefined, {}, key);
      expect([status, body.detail]).toEqual([400, 'agent must be the id of an agent (agt_…).']);
    });
  });

  it('where another operation is meant, which exists', async () => {
    const { body: document } = await call('GET', '/v1/openapi.json');
    const known = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const requests: [method: string, path: string, status: number][] = [
      ['POST', '/v1/runs', 405],
      ['POST', '/runs', 404],
      ['PATCH', `/v1/agents/${agent}`, 405],
      ['PATCH', `/agents/${agent}`, 404],
      ['DELETE', `/v1/agents/${agent}/versions/1`, 405],
      ['DELETE', '/v1/runs/run_1', 405],
      ['PATCH', '/v1/api-keys/key_1', 405],
      ['POST', '/v1/secrets', 405],
      ['POST', '/v1/approvals/apr_1', 405],
      ['PUT', `/v1/knowledge-bases/${base}`, 405],
      ['GET', '/v1/agent', 404],
    ];
    for (const [method, path, status] of requests) {
      const { status: given, body } = await call(method, path);
      const named = [...String(body.detail).matchAll(/\b(?:GET|POST|PUT|PATCH|DELETE) \/v1\/\S*[\w}]/g)].map(
        ([text]) => text,
      );
      expect([method, path, given, named.length > 0]).toEqual([method, path, status, true]);
      expect([method, path, named.filter((operation) => !known.includes(operation))]).toEqual([method, path, []]);
    }
    expect((await call('GET', '/agents')).body.detail).toBe(
      'No route matches /agents. Paths of the API begin with /v1. Use GET /v1/agents.',
    );
  });

  it('where the body has another type', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, body } = await call('POST', `/v1/agents/${agent}/runs`, '{}', form);
    expect([status, body.detail]).toEqual([
      415,
      'The Content-Type is "application/x-www-form-urlencoded". This operation accepts application/json. Send the header Content-Type: application/json.',
    ]);
  });
});
