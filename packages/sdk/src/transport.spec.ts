import { AgentAutomation } from './agent-automation.js';
import type { ApiError } from './errors.js';
import type { ClientOptions } from './options.js';

type Sent = { url: string; init: RequestInit; headers: Record<string, string> };

/** A client that receives these responses in order, and a record of its requests. The last response is repeated. */
function clientWith(
  answers: readonly (Response | Error)[] = [Response.json({})],
  options: ClientOptions = {},
): { aas: AgentAutomation; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const answer = answers[Math.min(sent.length, answers.length - 1)]!;
    sent.push({ url: url as string, init, headers: init.headers as Record<string, string> });
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer.clone());
  };
  return { aas: new AgentAutomation({ apiKey: 'aas_test_1', baseUrl: 'https://aas.test', fetch, ...options }), sent };
}

const refusal = (status: number, members: object = {}, headers: Record<string, string> = {}): Response =>
  Response.json(
    { status, code: 'unavailable', detail: 'Try again.', request_id: 'req_1', ...members },
    { status, headers },
  );
const cut = new TypeError('fetch failed');
const AT_ONCE = { 'retry-after': '0' };

describe('the address of the service', () => {
  it.each([
    ['https://aas.test', 'https://aas.test/v1/me'],
    ['https://aas.test/v1', 'https://aas.test/v1/me'],
    ['https://aas.test/v1/', 'https://aas.test/v1/me'],
    ['http://localhost:3000/below/a/path/v1//', 'http://localhost:3000/below/a/path/v1/me'],
  ])('%s', async (baseUrl, url) => {
    const { aas, sent } = clientWith([Response.json({})], { baseUrl });
    await aas.me.get();
    expect(sent[0]!.url).toBe(url);
  });

  it.each(['ftp://aas.test', 'aas.test', 'https://user:password@aas.test'])('is not %s', (baseUrl) => {
    expect(() => clientWith([], { baseUrl })).toThrow('`baseUrl` must be');
  });

  it('is never another one', async () => {
    const { aas, sent } = clientWith();
    for (const path of ['https://other.test/v1/me', '//other.test/v1/me', 'http://aas.test/v1/me']) {
      await expect(aas.request('GET', path)).rejects.toThrow('`path` must be');
    }
    await expect(
      new AgentAutomation({ apiKey: 'k', baseUrl: 'https://aas.test/below' }).request('GET', '../v1/me'),
    ).rejects.toThrow('`path` must be');
    expect(sent).toEqual([]);
  });

  it.each(['', '.', '..'])('does not change by the id "%s"', async (id) => {
    const { aas, sent } = clientWith();
    await expect(aas.runs.get(id)).rejects.toThrow('must be an id or a name');
    expect(sent).toEqual([]);
  });

  it('holds the time of a duration, also in the filter of a bulk action', async () => {
    const { aas, sent } = clientWith([Response.json({ data: [] })]);
    const earliest = Date.now() - 86_400_000;
    await aas.runs.list({ since: '24h' });
    await aas.bulkActions.create({ action: 'cancel', filter: { since: '1d', until: '2026-01-31T08:00:00Z' } });
    const { filter } = JSON.parse(sent[1]!.init.body as string) as { filter: Record<'since' | 'until', string> };
    for (const since of [new URL(sent[0]!.url).searchParams.get('since') ?? '', filter.since])
      expect(Date.parse(since)).toBeGreaterThanOrEqual(earliest);
    expect(filter.until).toBe('2026-01-31T08:00:00Z');
  });

  it('holds ids and queries encoded', async () => {
    const { aas, sent } = clientWith([Response.json({ data: [] })]);
    await aas.groups.get('a/b?c');
    await aas.runs.list({ status: ['failed', 'cancelled'], limit: 5 });
    expect(sent.map(({ url }) => url)).toEqual([
      'https://aas.test/v1/groups/a%2Fb%3Fc',
      'https://aas.test/v1/runs?status=failed&status=cancelled&limit=5',
    ]);
  });
});

describe('the proof of the caller', () => {
  it('is the API key, without cookies', async () => {
    const { aas, sent } = clientWith();
    await aas.me.get();
    expect(sent[0]).toMatchObject({
      headers: { authorization: 'Bearer aas_test_1' },
      init: { credentials: 'omit', redirect: 'manual' },
    });
  });

  it('is the cookie of the page with `session`', async () => {
    const { aas, sent } = clientWith([Response.json({})], { session: true });
    await aas.me.get();
    expect(sent[0]!.init.credentials).toBe('same-origin');
    expect(sent[0]!.headers).toMatchObject({ 'x-aas-console': '1' });
    expect(sent[0]!.headers).not.toHaveProperty('authorization');
  });

  it('is not sent to a webhook trigger, which has its own secret', async () => {
    const { aas, sent } = clientWith();
    await aas.triggers.call('agt_1', { order: 7 }, { secret: 'whs_1' });
    expect(sent[0]!.headers).toMatchObject({ 'x-service-webhook-secret': 'whs_1' });
    expect(sent[0]!.headers).not.toHaveProperty('authorization');
  });

  it('comes from the environment', () => {
    const before = { ...process.env };
    try {
      delete process.env.AAS_API_KEY;
      expect(() => new AgentAutomation({ baseUrl: 'https://aas.test' })).toThrow('AAS_API_KEY');
      Object.assign(process.env, { AAS_API_KEY: 'aas_test_1', AAS_URL: 'https://aas.test' });
      expect(() => new AgentAutomation()).not.toThrow();
      process.env.AAS_URL = '';
      expect(() => new AgentAutomation()).toThrow('AAS_URL');
    } finally {
      process.env = before;
    }
  });

  it('is not shown when it cannot be one', () => {
    expect(() => clientWith([], { apiKey: 'aas_test_1\nx' })).toThrow(
      /^`apiKey` has characters that no API key has\.$/,
    );
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%d is refused', async (status) => {
    const { aas, sent } = clientWith([new Response(null, { status, headers: { location: 'https://other.test' } })]);
    await expect(aas.me.get()).rejects.toMatchObject({ status, code: 'redirect_refused' });
    expect(sent).toHaveLength(1);
  });
});

/** Rejects only when the signal of the request aborts. */
const never: typeof fetch = (_url, { signal } = {}) =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

describe('a request', () => {
  it('has one idempotency key in all its tries, and another one in the next call', async () => {
    const { aas, sent } = clientWith([refusal(503, {}, AT_ONCE), Response.json({})]);
    await aas.runs.start('greeter');
    await aas.runs.start('greeter');
    const keys = sent.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0], expect.not.stringMatching(keys[0]!)]);
  });

  it('is sent once if it is a POST without a key', async () => {
    const { aas, sent } = clientWith([cut, Response.json({})]);
    await expect(aas.workspace.resume()).rejects.toMatchObject({ name: 'ConnectionError', cause: cut });
    expect(sent).toHaveLength(1);
    await aas.workspace.resume({}, { idempotencyKey: 'mine' });
    expect(sent[1]!.headers).toMatchObject({ 'idempotency-key': 'mine' });
  });

  it('carries what the caller gives', async () => {
    const { aas, sent } = clientWith([Response.json({})], { headers: { 'User-Agent': 'test/1' } });
    await aas.agents.pause('agt_x', { ifMatch: 3, headers: { 'X-Request-Id': 'req_mine' } });
    expect(sent[0]!.headers).toMatchObject({ 'if-match': '"3"', 'x-request-id': 'req_mine', 'user-agent': 'test/1' });
    await aas.runs.start('greeter', {}, { wait: '20s' });
    expect(sent[1]!.headers).toMatchObject({ prefer: 'wait=20', 'content-type': 'application/json' });
    expect(sent[1]!.init.body).toBe('{}');
  });

  it('reports status and headers of its response', async () => {
    const { aas } = clientWith([Response.json({}, { status: 202, headers: { etag: '"7"' } })]);
    const seen: unknown[] = [];
    await aas.agents.get('x', { onResponse: ({ status, headers }) => seen.push([status, headers.get('etag')]) });
    expect(seen).toEqual([[202, '"7"']]);
  });

  it('removes a resource once: what a repetition does not find is gone', async () => {
    const lost = clientWith([cut, refusal(404)]);
    await expect(lost.aas.members.delete('mem_1')).resolves.toBeUndefined();
    const unknown = clientWith([refusal(404)]);
    await expect(unknown.aas.members.delete('mem_1')).rejects.toMatchObject({ status: 404 });
    const limited = clientWith([refusal(429, {}, AT_ONCE), refusal(404)]);
    await expect(limited.aas.members.delete('mem_1')).rejects.toMatchObject({ status: 404 });
  });

  it('ends when its time is over, or its caller cancels', async () => {
    const aas = new AgentAutomation({ apiKey: 'k', baseUrl: 'https://aas.test', fetch: never, timeout: 5 });
    await expect(aas.me.get()).rejects.toMatchObject({ name: 'TimeoutError' });
    const controller = new AbortController();
    const call = aas.me.get({ signal: controller.signal, timeout: '1h' });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await expect(aas.me.get({ timeout: '1 hour' as '1h' })).rejects.toThrow('`timeout` must be');
  });

  it.each([
    [5, '5 ms'],
    ['5ms', '5ms'],
  ] as const)('names the unit of the time %s in which a run did not end', async (timeout, text) => {
    const aas = new AgentAutomation({ apiKey: 'k', baseUrl: 'https://aas.test', fetch: never });
    await expect(aas.runs.wait('run_1', { timeout })).rejects.toThrow(`Run run_1 did not end within ${text}. `);
  });
});

describe('a refusal', () => {
  it('has the members of the problem document', async () => {
    const { aas } = clientWith([refusal(429, { code: 'budget_exceeded' }, { 'retry-after': '3600' })]);
    const error = (await aas.me.get().catch((thrown: unknown) => thrown)) as ApiError;
    expect(error).toMatchObject({ status: 429, code: 'budget_exceeded', requestId: 'req_1', retryAfter: 3_600 });
    expect(error.message).toBe('429 budget_exceeded: Try again. (request req_1)');
  });

  it('is named as unexpected if it is not of the service', async () => {
    const page = new Response('<html>', { status: 404, headers: { 'x-request-id': 'req_2' } });
    await expect(clientWith([page]).aas.me.get()).rejects.toMatchObject({
      status: 404,
      code: 'unexpected_response',
      requestId: 'req_2',
    });
    const login = new Response('<html>', { status: 200 });
    await expect(clientWith([login]).aas.me.get()).rejects.toMatchObject({ code: 'unexpected_response' });
  });
});
