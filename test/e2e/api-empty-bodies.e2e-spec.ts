import { type IdKind, newId } from '@app/kernel';
import { type ApiDocument, type DescribedOperation, OpenApiContract } from '../support/openapi-contract.js';
import type { CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const AGENT = { name: 'plain', steps: [{ id: 'a', output: 1 }] };

const KINDS: Readonly<Record<string, IdKind>> = {
  agents: 'agent',
  'api-keys': 'apiKey',
  files: 'file',
  runs: 'run',
  'webhook-endpoints': 'webhookEndpoint',
};

/** Returns the path of an operation with valid ids that do not exist. */
function withIds(path: string): string {
  return path
    .replace(/([a-z-]+)\/\{id\}/, (_, list: string) => `${list}/${KINDS[list] ? newId(KINDS[list]) : '1'}`)
    .replaceAll(/\{[^}]+\}/g, '1');
}

describe('operations that take no body, or one that may be left out', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let operations: DescribedOperation[];

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
    const document = (await api.call('GET', '/v1/openapi.json')).body as ApiDocument;
    operations = new OpenApiContract(document)
      .operations()
      .filter(({ method, operation }) => method !== 'GET' && operation.requestBody?.required !== true)
      .filter(({ operation }) => !operation.parameters?.some((each) => each.required && each.in === 'header'));
  });

  afterAll(() => api.close());

  const call = (method: string, path: string, options: CallOptions = {}) =>
    api.call(method, path, { key: tenant.adminKey, ...options });
  const answers = async (options: CallOptions) => {
    const given: Record<string, unknown> = {};
    for (const { route, method, path } of operations) {
      const { status, body } = await call(method, withIds(path), options);
      given[route] = [status, body?.code, body?.errors?.[0]?.pointer];
    }
    return given;
  };
  const each = (answer: unknown[]) => Object.fromEntries(operations.map(({ route }) => [route, answer]));

  it('are many', () => {
    const routes = operations.map(({ route }) => route);
    expect(routes).toEqual(
      expect.arrayContaining([
        'POST /v1/agents/{id}/pause',
        'POST /v1/agents/{id}/versions/{n}/promote',
        'POST /v1/agents/{id}/versions/{n}/evaluate',
        'POST /v1/runs/{id}/cancel',
        'DELETE /v1/agents/{id}',
      ]),
    );
  });

  it('refuse what they would not look at, with its place', async () => {
    expect(await answers({ body: { force: true } })).toEqual(each([400, 'invalid_request', '/force']));
  });

  it.each([
    ['[true]', [400, 'invalid_request', undefined]],
    ['"force"', [400, 'invalid_request', undefined]],
    ['{"force": ', [400, 'invalid_json', '']],
  ])('refuse %s', async (body, answer) => {
    expect(await answers({ body, headers: JSON_TYPE })).toEqual(each(answer));
  });

  it('refuse a body of another kind', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(await answers({ body: 'force=true', headers })).toEqual(each([415, 'unsupported_media_type', undefined]));
  });

  it('look at nothing before they know who asks', async () => {
    const { status } = await api.call('POST', '/v1/agents/1/pause', { body: { force: true } });
    expect(status).toBe(401);
  });

  it.each<[string, CallOptions]>([
    ['no body', {}],
    ['an empty one that calls itself JSON', { body: '', headers: JSON_TYPE }],
    ['an empty one that calls itself a form', { body: '', headers: { 'Content-Type': 'text/plain' } }],
    ['an empty object', { body: {} }],
    ['white space', { body: ' \n', headers: JSON_TYPE }],
  ])('work with %s', async (_, options) => {
    for (const answer of Object.values(await answers(options)) as [number][])
      expect([400, 413, 415]).not.toContain(answer[0]);
    await call('POST', '/v1/workspace/resume');
    const { id } = (await call('POST', '/v1/agents', { body: AGENT })).body;
    expect((await call('POST', `/v1/agents/${id}/pause`, options)).body.status).toBe('paused');
    expect((await call('DELETE', `/v1/agents/${id}`, options)).body.status).toBe('archived');
  });
});
