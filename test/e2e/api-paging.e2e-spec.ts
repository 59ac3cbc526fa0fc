import { type Clock, systemClock } from '@app/kernel';
import { greeterNamed } from '../fixtures/definitions.js';
import { startApi, type TestApi, type TestTenant } from '../support/api.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const HOUR = 3_600_000;

describe('lists', () => {
  let database: TestDatabase;
  let api: TestApi;
  let tenant: TestTenant;
  let key: string;
  let ids: string[];
  let offset = 0;

  const clock: Clock = {
    now: () => new Date(systemClock.now().getTime() + offset),
    monotonicMillis: () => systemClock.monotonicMillis(),
    sleep: (millis, signal) => systemClock.sleep(millis, signal),
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    api = await startApi({ databaseUrl: database.url, clock });
    tenant = await api.newTenant();
    key = tenant.adminKey;
    ids = [];
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      const options = { key, body: greeterNamed(name), headers: { 'Content-Type': 'application/yaml' } };
      ids.push((await api.call('POST', '/v1/agents', options)).body.id);
    }
  });

  afterEach(() => {
    offset = 0;
  });

  afterAll(async () => {
    await api.close();
    await database.drop();
  });

  async function page(query: string, path = '/v1/agents') {
    const { status, body } = await api.call('GET', `${path}?${query}`, { key });
    const code: unknown = body.code;
    const ids: string[] = body.data?.map((row: { id: string }) => row.id) ?? [];
    const cursor: string = body.next_cursor ?? '';
    return { status, code, ids, cursor, errors: body.errors, isLast: body.next_cursor === undefined };
  }

  async function walk(query: string): Promise<string[][]> {
    const pages: string[][] = [];
    for (let next = await page(query); ; next = await page(`${query}&cursor=${next.cursor}`)) {
      pages.push(next.ids);
      if (next.isLast) return pages;
    }
  }

  it('are cut into pages, newest first, each row once, without a cursor at the end', async () => {
    const newest = [...ids].reverse();
    expect(await walk('limit=2')).toEqual([newest.slice(0, 2), newest.slice(2, 4), newest.slice(4)]);
    expect(await walk('limit=5')).toEqual([newest]);
    expect(await walk('limit=100')).toEqual([newest]);
  });

  it('are cut into pages oldest first when asked to', async () => {
    expect(await walk('limit=3&order=asc')).toEqual([ids.slice(0, 3), ids.slice(3)]);
  });

  it('do not show a row twice or skip one when rows come in between', async () => {
    const first = await page('limit=2');
    const options = { key, body: greeterNamed('late'), headers: { 'Content-Type': 'application/yaml' } };
    const late = (await api.call('POST', '/v1/agents', options)).body.id;
    const second = await page(`limit=2&cursor=${first.cursor}`);
    expect([...first.ids, ...second.ids]).toEqual([...ids].reverse().slice(0, 4));
    ids.push(late);
  });

  it.each(['limit=0', 'limit=101', 'limit=abc', 'limit=-1', 'limit=', 'limit=1&limit=2', 'limit=2.5'])(
    'refuse %s',
    async (query) => {
      const { status, code, errors } = await page(query);
      expect([status, code, errors[0].pointer]).toEqual([400, 'invalid_request', 'limit']);
    },
  );

  it.each(['order=up', 'order=', 'ordr=asc', 'offset=3', 'status=retired', 'cursor=a&cursor=b'])(
    'refuse %s',
    async (query) => {
      const { status, code } = await page(query);
      expect([status, code]).toEqual([400, 'invalid_request']);
    },
  );

  describe('cursors', () => {
    it('that were not given out are refused', async () => {
      const { cursor } = await page('limit=2');
      const last = cursor.endsWith('A') ? 'B' : 'A';
      for (const bad of ['', 'abc', `${cursor}A`, cursor.slice(1), cursor.slice(0, -1) + last, 'x'.repeat(2_000)]) {
        const { status, code } = await page(`limit=2&cursor=${bad}`);
        expect([bad, status, code]).toEqual([bad, 400, 'invalid_cursor']);
      }
    });

    it('survive any change of one character only by being refused', async () => {
      const { cursor } = await page('limit=2');
      for (let at = 0; at < cursor.length; at += 7) {
        const changed = cursor.slice(0, at) + (cursor[at] === 'x' ? 'y' : 'x') + cursor.slice(at + 1);
        expect((await page(`limit=2&cursor=${changed}`)).code).toBe('invalid_cursor');
      }
    });

    it('fit only the list, the order and the filters that they were made for', async () => {
      const { cursor } = await page('limit=2&status=active');
      expect((await page(`limit=2&status=active&cursor=${cursor}`)).status).toBe(200);
      const others = [
        page(`limit=2&cursor=${cursor}`),
        page(`limit=2&status=paused&cursor=${cursor}`),
        page(`limit=2&status=active&order=asc&cursor=${cursor}`),
        page(`limit=2&cursor=${cursor}`, '/v1/runs'),
        page(`limit=2&cursor=${cursor}`, `/v1/agents/${ids[0] ?? ''}/versions`),
      ];
      for (const other of await Promise.all(others))
        expect([other.status, other.code]).toEqual([400, 'cursor_mismatch']);
    });

    it('fit whatever the size of the page', async () => {
      const { cursor } = await page('limit=2');
      expect((await page(`limit=1&cursor=${cursor}`)).ids).toHaveLength(1);
    });

    it('of another workspace are refused', async () => {
      const { cursor } = await page('limit=2');
      const stranger = await api.newTenant();
      const { status, body } = await api.call('GET', `/v1/agents?limit=2&cursor=${cursor}`, { key: stranger.adminKey });
      expect([status, body.code]).toEqual([400, 'cursor_mismatch']);
    });

    it('are valid for a day', async () => {
      const { cursor } = await page('limit=2');
      offset = 24 * HOUR - 60_000;
      expect((await page(`limit=2&cursor=${cursor}`)).status).toBe(200);
      offset = 24 * HOUR + 60_000;
      const { status, code } = await page(`limit=2&cursor=${cursor}`);
      expect([status, code]).toEqual([400, 'cursor_expired']);
    });
  });
});
