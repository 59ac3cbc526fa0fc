import type { ApiAnswer, CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const RUN = 'run_01kahzvk3te9d8q6f0f1v3m2sx';
const CANCEL = { action: 'cancel', ids: [RUN] };
const REPLAY = { action: 'replay', ids: [RUN] };

describe('POST /v1/bulk-actions', () => {
  let api: HttpApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
  });
  afterAll(() => api.close());

  const start = (body: unknown, options: CallOptions = {}): Promise<ApiAnswer> =>
    api.call('POST', '/v1/bulk-actions', { key: tenant.adminKey, body, ...options });
  const narrowed = async (scopes: string[]): Promise<string> => {
    const body = { name: 'narrow', kind: 'live', role: 'operator', member: 'admin@example.com', scopes };
    return (await api.call('POST', '/v1/api-keys', { key: tenant.adminKey, body })).body.key;
  };
  const many = (count: number) => Array.from({ length: count }, (_, n) => `run_${n}`);

  it.each<[string, unknown, string]>([
    ['no action', { ids: [RUN] }, '/action'],
    ['a decision', { action: 'approve', ids: [RUN] }, '/action'],
    ['no selection', { action: 'cancel' }, ''],
    ['two selections', { ...CANCEL, filter: {} }, '/filter'],
    ['no ids', { action: 'cancel', ids: [] }, '/ids'],
    ['too many ids', { action: 'cancel', ids: many(1_001) }, '/ids'],
    ['an id that is no text', { action: 'cancel', ids: [RUN, 7] }, '/ids/1'],
    ['an empty id', { action: 'cancel', ids: [''] }, '/ids/0'],
    ['null as ids', { action: 'cancel', ids: null }, '/ids'],
    ['a filter that is no object', { action: 'cancel', filter: 'agent' }, '/filter'],
    ['a filter that is a list', { action: 'cancel', filter: [] }, '/filter'],
    ['an unknown filter', { action: 'cancel', filter: { stauts: ['queued'] } }, '/filter/stauts'],
    ['an unknown status', { action: 'cancel', filter: { status: ['queued', 'done'] } }, '/filter/status/1'],
    ['the name of an agent', { action: 'cancel', filter: { agent: 'greeter' } }, '/filter/agent'],
    ['a time without a zone', { action: 'cancel', filter: { since: '2026-01-31' } }, '/filter/since'],
    ['a label without a value', { action: 'cancel', filter: { label: ['team'] } }, '/filter/label/0'],
    ['too many ids in a filter', { action: 'cancel', filter: { id: many(101) } }, '/filter/id'],
    ['a page of a filter', { action: 'cancel', filter: { limit: 5 } }, '/filter/limit'],
    ['a limit of 0', { ...CANCEL, limit: 0 }, '/limit'],
    ['a limit that is too high', { ...CANCEL, limit: 10_001 }, '/limit'],
    ['an unknown mode', { ...REPLAY, mode: 'live' }, '/mode'],
    ['a mode for a cancellation', { ...CANCEL, mode: 'test' }, '/mode'],
    ['an unknown field', { ...CANCEL, reason: 'x' }, '/reason'],
  ])('refuses %s with 400 and its place', async (_, body, pointer) => {
    const answer = await start(body);
    expect([answer.status, answer.body.code, answer.body.errors?.[0]?.pointer]).toEqual([
      400,
      'invalid_request',
      pointer,
    ]);
  });

  it('accepts 1000 ids, the highest limit and each filter of the list of runs', async () => {
    expect(await start({ action: 'cancel', ids: many(1_000), limit: 10_000 })).toMatchObject({
      status: 202,
      body: { counts: { total: 1_000 } },
    });
    const agent = 'agt_01kahzvk3te9d8q6f0f1v3m2sx';
    const times = { since: '2026-01-31T08:00:00Z', until: '2026-02-01T08:00:00+01:00' };
    const exact = { version: 3, initiator: 'ada@example.com', error_code: 'tool_error', mode: 'test' };
    const filter = {
      agent,
      status: ['failed', 'cancelled'],
      trigger_type: 'api',
      ...times,
      ...exact,
      label: ['team=support'],
      replay_of: RUN,
      parent: RUN,
      id: [RUN],
    };
    expect(await start({ action: 'replay', filter })).toMatchObject({ status: 202, body: { status: 'completed' } });
  });

  it('pages through the results, the newest run first', async () => {
    const ids = many(30).sort().reverse();
    const { body } = await start({ action: 'cancel', ids });
    expect(body.results).toHaveLength(25);
    const read = (query: string) => api.call('GET', `/v1/bulk-actions/${body.id}${query}`, { key: tenant.adminKey });
    const rest = await read(`?cursor=${encodeURIComponent(body.next_cursor)}`);
    expect(rest.body).not.toHaveProperty('next_cursor');
    expect([...body.results, ...rest.body.results].map(({ run }) => run)).toEqual(ids);
    expect((await read('?limit=7')).body.results).toHaveLength(7);
    for (const query of ['?limit=101', '?order=asc', '?cursor=x'])
      expect([query, (await read(query)).status]).toEqual([query, 400]);
    const other = await start(CANCEL);
    const path = `/v1/bulk-actions/${other.body.id}?cursor=${encodeURIComponent(body.next_cursor)}`;
    expect((await api.call('GET', path, { key: tenant.adminKey })).body.code).toBe('cursor_mismatch');
  });

  it('requires the scope of its action', async () => {
    const [cancels, runs, reads] = [
      await narrowed(['runs:cancel']),
      await narrowed(['agents:run']),
      await narrowed(['runs:read']),
    ];
    const answers = async (key: string) => [
      (await start(CANCEL, { key })).body.code ?? 202,
      (await start(REPLAY, { key })).body.code ?? 202,
    ];
    expect(await answers(cancels)).toEqual([202, 'insufficient_scope']);
    expect(await answers(runs)).toEqual(['insufficient_scope', 202]);
    expect(await answers(reads)).toEqual(['insufficient_scope', 'insufficient_scope']);
    const { body } = await start(CANCEL);
    const read = async (key: string) => (await api.call('GET', `/v1/bulk-actions/${body.id}`, { key })).status;
    expect([await read(reads), await read(cancels)]).toEqual([200, 403]);
  });

  it('refuses replays in production with a test key', async () => {
    const key = await tenant.key('operator', 'test');
    const refused = await start({ ...REPLAY, mode: 'production' }, { key });
    expect([refused.status, refused.body.code]).toEqual([403, 'test_key_production_mode']);
    expect((await start(REPLAY, { key })).status).toBe(202);
    expect((await start(CANCEL, { key })).status).toBe(202);
  });

  it('takes an omitted default for the default under an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'defaults' };
    const first = await start(REPLAY, { headers });
    const again = await start({ ...REPLAY, limit: 1_000, mode: 'test' }, { headers });
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect((await start({ ...REPLAY, limit: 999 }, { headers })).body.code).toBe('idempotency_key_reused');
  });

  it('is refused while the workspace has 100 that are not completed', async () => {
    const busy = await api.newTenant();
    const options = { key: busy.adminKey, body: CANCEL };
    const accepted = Array.from({ length: 100 }, () => api.call('POST', '/v1/bulk-actions', options));
    expect(new Set((await Promise.all(accepted)).map(({ status }) => status))).toEqual(new Set([202]));
    const refused = await api.call('POST', '/v1/bulk-actions', options);
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '10',
    ]);
    expect((await start(CANCEL)).status).toBe(202);
  });

  it('cannot be read in another workspace, and an unknown one does not exist', async () => {
    const { body } = await start(CANCEL);
    const stranger = await api.newTenant();
    for (const [id, key] of [
      [body.id, stranger.adminKey],
      ['bulk_01kahzvk3te9d8q6f0f1v3m2sx', tenant.adminKey],
      ['bulk_1', tenant.adminKey],
    ])
      expect(await api.call('GET', `/v1/bulk-actions/${id}`, { key })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
  });
});
