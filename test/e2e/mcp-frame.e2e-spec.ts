import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer, CallOptions, TestTenant } from '../support/http-api.js';

const JSON_RPC = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
const MODERN = '2026-07-28';

describe('the MCP server over HTTP', () => {
  let api: TestApi;
  let tenant: TestTenant;
  const clients: Client[] = [];

  beforeAll(async () => {
    api = await startApi();
    tenant = await api.newTenant();
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
  afterAll(() => api.close());

  async function connected(options: ClientOptions = {}): Promise<Client> {
    const client = new Client({ name: 'tester', version: '1' }, options);
    const requestInit = { headers: { authorization: `Bearer ${tenant.adminKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/v1/mcp`), { requestInit }));
    clients.push(client);
    return client;
  }

  const post = (body: unknown, options: CallOptions = {}): Promise<ApiAnswer> =>
    api.call('POST', '/v1/mcp', {
      key: tenant.adminKey,
      body,
      ...options,
      headers: { ...JSON_RPC, ...options.headers },
    });

  const legacy = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

  const modern = (method: string, version = MODERN) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { 'mcp-protocol-version': version, 'mcp-method': method };
    return post({ jsonrpc: '2.0', id: 1, method, params: { _meta } }, { headers });
  };

  it('serves clients of the current revision', async () => {
    const client = await connected({ versionNegotiation: { mode: { pin: MODERN } } });
    expect(client.getProtocolEra()).toBe('modern');
    expect(client.getServerVersion()).toMatchObject({ name: 'agent-automation-service' });
    expect(client.getServerCapabilities()?.tools).toEqual({});
    expect(client.getInstructions()?.length).toBeLessThan(1_000);
    expect(await client.listTools()).toMatchObject({ cacheScope: 'private', ttlMs: 60_000 });
  });

  it('serves clients that begin with `initialize`', async () => {
    const client = await connected({ versionNegotiation: { mode: 'legacy' } });
    expect(client.getProtocolEra()).toBe('legacy');
    expect(client.getServerVersion()).toMatchObject({ name: 'agent-automation-service' });
    expect(await client.listTools()).toHaveProperty('tools');
  });

  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2025-11-25'],
    ['2030-01-01', '2025-11-25'],
  ])('answers `initialize` of %s with %s and keeps no session', async (asked, answered) => {
    const clientInfo = { name: 'raw', version: '1' };
    const { status, headers, body } = await post(
      legacy('initialize', { protocolVersion: asked, capabilities: {}, clientInfo }),
    );
    expect([status, headers.get('mcp-session-id'), body.result.protocolVersion]).toEqual([200, null, answered]);
    expect(body.result.capabilities).toEqual({ tools: {} });
    const later = await post(legacy('tools/list'), { headers: { 'mcp-protocol-version': answered } });
    expect([later.status, Array.isArray(later.body.result.tools)]).toEqual([200, true]);
  });

  it('names the revision that it serves to a client of another one', async () => {
    const { status, body } = await modern('server/discover', '2027-01-01');
    expect([status, body.error.code, body.error.data.supported]).toEqual([400, -32022, [MODERN]]);
  });

  it('discovers itself', async () => {
    const { status, body } = await modern('server/discover');
    expect(status).toBe(200);
    expect(body.result.supportedVersions).toEqual([MODERN]);
    expect(body.result._meta['io.modelcontextprotocol/serverInfo'].name).toBe('agent-automation-service');
  });

  it('takes notifications, and answers what is no message in the protocol', async () => {
    expect(await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({
      status: 202,
      body: '',
    });
    expect(await post('{', {})).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    expect(await post({ hello: 1 })).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
    expect(await post(legacy('tasks/list'))).toMatchObject({ status: 200, body: { error: { code: -32601 } } });
    expect(await modern('subscriptions/listen')).toMatchObject({ body: { error: { code: -32603 } } });
  });

  it('answers the messages of a batch together', async () => {
    const unknown = { ...legacy('nope'), id: 2 };
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const { status, body } = await post([legacy('ping'), unknown, initialized]);
    expect(status).toBe(200);
    expect(body).toHaveLength(2);
    expect(body).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 1, result: {} },
        expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32601 }) }),
      ]),
    );
    expect(await post([initialized])).toMatchObject({ status: 202, body: '' });
    expect(await post([])).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  });

  it.each(['GET', 'DELETE', 'PUT'])('allows no %s', async (method) => {
    const { status, headers, body } = await api.call(method, '/v1/mcp', { key: tenant.adminKey });
    expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST', 'method_not_allowed']);
  });

  it('needs a key and ignores cookies', async () => {
    const signedIn = await api.call('POST', '/auth/key', { body: { api_key: tenant.adminKey } });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    for (const options of [{}, { headers: { cookie, 'sec-fetch-site': 'same-origin' } }]) {
      const { status, headers, body } = await post(legacy('ping'), { key: undefined, ...options });
      expect([status, body.code]).toEqual([401, 'missing_api_key']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer /);
      expect(headers.get('www-authenticate')).not.toContain('resource_metadata');
    }
    expect(await post(legacy('ping'), { key: 'aas_live_x' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_api_key' },
    });
  });

  it('answers only pages of its own', async () => {
    for (const origin of ['https://evil.example', 'null'])
      expect(await post(legacy('ping'), { headers: { origin } })).toMatchObject({
        status: 403,
        body: { code: 'cross_site' },
      });
    expect(await post(legacy('ping'), { headers: { origin: api.url } })).toMatchObject({ status: 200 });
  });

  it('refuses other types and large bodies with a problem document', async () => {
    expect(await post('x', { headers: { 'Content-Type': 'text/plain' } })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
    expect(await post(legacy('ping', { _meta: { a: 'a'.repeat(1_200_000) } }))).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
  });

  it('counts a request once, and does not exist if the operator turns it off', async () => {
    const other = await startApi({
      databaseUrl: api.databaseUrl,
      env: { MCP_SERVER: 'off', RATE_LIMIT_REQUESTS: '100' },
    });
    try {
      const { status, body } = await other.call('POST', '/v1/mcp', { body: legacy('ping') });
      expect([status, body.code]).toEqual([404, 'not_found']);
    } finally {
      await other.close();
    }
    const limited = await startApi({ databaseUrl: api.databaseUrl, env: { RATE_LIMIT_REQUESTS: '1' } });
    try {
      const ping = () =>
        limited.call('POST', '/v1/mcp', { key: tenant.adminKey, body: legacy('ping'), headers: JSON_RPC });
      expect((await ping()).status).toBe(200);
      const refused = await ping();
      expect([refused.status, refused.body.code, refused.headers.has('retry-after')]).toEqual([
        429,
        'rate_limited',
        true,
      ]);
    } finally {
      await limited.close();
    }
  });
});
