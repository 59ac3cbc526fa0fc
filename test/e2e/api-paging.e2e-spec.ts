import { type Clock, systemClock } from '@app/kernel';
import { KnowledgeScene } from '../../libs/knowledge/src/testing/knowledge-scene.js';
import { greeterNamed } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer, HttpApi, TestTenant } from '../support/http-api.js';
import { anOpenApproval } from '../support/open-approval.js';
import { type ApiDocument, OpenApiContract } from '../support/openapi-contract.js';
import { sharedApi } from '../support/shared-api.js';

const HOUR = 3_600_000;

const EVALUATED = {
  name: 'agent-1',
  evaluation: { cases: [{ name: 'a', input: {}, assert: [{ type: 'status', value: 'succeeded' }] }] },
  steps: [{ id: 'a', output: 1 }],
};

describe('lists', () => {
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
    api = await startApi({ clock });
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

  afterAll(() => api.close());

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
      expect([status, code, errors[0].parameter]).toEqual([400, 'invalid_request', 'limit']);
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

describe('every list', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let owned: Readonly<Record<string, string>>;

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
    owned = await threeOfEachKind();
  });

  afterAll(() => api.close());

  const call = async (method: string, path: string, body?: object): Promise<ApiAnswer['body']> => {
    const answer = await api.call(method, `/v1${path}`, { key: tenant.adminKey, body });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body.detail}`);
    return answer.body;
  };

  async function threeOfEachKind(): Promise<Record<string, string>> {
    const agent = await call('POST', '/agents', EVALUATED);
    for (const n of [2, 3]) {
      await call('POST', '/agents', { ...EVALUATED, name: `agent-${n}` });
      await call('POST', `/agents/${agent.id}/versions`, { ...EVALUATED, description: `version ${n}` });
    }
    const base = await call('POST', '/knowledge-bases', { name: 'base-1' });
    const knowledge = await KnowledgeScene.within(api.databaseUrl, tenant.workspaceId);
    await knowledge.documents(base.id, { a: 'One.', b: 'Two.', c: 'Three.' });
    await knowledge.close();
    const source = await call('POST', `/knowledge-bases/${base.id}/sources`, { connector: 'upload' });
    const endpoint = await call('POST', '/webhook-endpoints', {
      url: 'https://example.com/1',
      events: ['webhook.test'],
    });
    for (const n of [1, 2, 3]) {
      const evaluation = await call('POST', `/agents/${agent.id}/versions/1/evaluate`);
      await call('POST', `/evaluations/${evaluation.id}/cancel`);
      const value = { file: (await call('POST', '/files', { n })).id };
      const run = await call('POST', `/agents/${agent.id}/runs`, {
        input: { first: value, second: value, third: value },
      });
      await api.execute(anOpenApproval(run.id, `apr_${String(run.id).slice('run_'.length)}`));
      const headers = { 'Content-Type': 'application/json', 'X-Service-Webhook-Secret': agent.webhook_secret };
      await api.call('POST', `/v1/agents/${agent.id}/trigger`, { headers, body: '{}' });
      const email = `person-${n}@example.com`;
      await call('POST', '/members', { email, role: 'viewer' });
      await call('POST', '/groups', { name: `group-${n}`, members: [] });
      await call('POST', '/saved-views', { screen: 'runs', name: `view ${n}`, query: 'status=failed' });
      await call('POST', '/api-keys', { name: `key ${n}`, kind: 'live', role: 'viewer', member: email });
      await call('POST', '/oauth-clients', { name: `client ${n}`, redirect_uris: ['https://client.example/'] });
      await call('PUT', `/secrets/SECRET_${n}`, { value: 'x' });
      await call('PUT', `/fixtures/fixture-${n}`, { n });
      await call('POST', '/connections', { name: `connection ${n}`, provider: 'github' });
      await call('POST', '/knowledge-bases', { name: `base ${n}` });
      await call('POST', `/knowledge-bases/${base.id}/sources`, { connector: 'upload' });
      const sync = await call('POST', `/knowledge-bases/${base.id}/sources/${source.id}/sync`);
      await call('POST', `/knowledge-bases/${base.id}/sources/${source.id}/syncs/${sync.id}/cancel`);
      await call('POST', '/webhook-endpoints', { url: `https://example.com/${n}`, events: ['run.completed'] });
      await call('POST', `/webhook-endpoints/${endpoint.id}/test`);
    }
    const [approval] = (await call('GET', '/approvals')).data;
    return {
      agents: agent.id,
      versions: '1',
      'knowledge-bases': base.id,
      sources: source.id,
      'webhook-endpoints': endpoint.id,
      runs: approval.run,
    };
  }

  it('is cut into pages either way, each row once, as long as they may be, with a cursor for this list alone', async () => {
    const { document } = new OpenApiContract((await api.call('GET', '/v1/openapi.json')).body as ApiDocument);
    // A bulk action has pages as well, but it is not a list. api-bulk-actions.e2e-spec.ts tests its pages.
    const lists = Object.entries(document.paths).filter(([, { get }]) =>
      ['cursor', 'order'].every((parameter) => get?.parameters?.some(({ name }) => name === parameter)),
    );
    const page = async (path: string, query: string) => {
      const { status, body } = await api.call('GET', `${path}?${query}`, { key: tenant.adminKey });
      return {
        status,
        code: body.code as unknown,
        data: body.data as object[],
        next: body.next_cursor as string | undefined,
      };
    };
    const walk = async (path: string, order: string): Promise<object[]> => {
      const rows: object[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const { data, next } = await page(path, `limit=2&order=${order}${cursor && `&cursor=${cursor}`}`);
        expect([path, data.length]).toEqual([path, next === undefined ? expect.any(Number) : 2]);
        rows.push(...data);
        cursor = next;
      }
      return rows;
    };
    const walked: string[] = [];
    for (const [template] of lists) {
      const path = template.replace(/([^/]+)\/\{\w+\}/g, (_, kind: string) => `${kind}/${owned[kind] ?? 'none'}`);
      const whole = await page(path, 'limit=100&order=asc');
      expect([path, whole.status, whole.next]).toEqual([path, 200, undefined]);
      if (whole.data.length >= 3) walked.push(template);
      expect([path, await walk(path, 'asc')]).toEqual([path, whole.data]);
      expect([path, await walk(path, 'desc')]).toEqual([path, whole.data.toReversed()]);
      expect([path, (await page(path, '')).data]).toEqual([path, whole.data.toReversed().slice(0, 25)]);
      for (const limit of [0, 101]) expect([path, (await page(path, `limit=${limit}`)).status]).toEqual([path, 400]);
      const { next } = await page(path, 'limit=1&order=asc');
      if (next !== undefined)
        expect([path, (await page(path, `limit=1&order=desc&cursor=${next}`)).code]).toEqual([path, 'cursor_mismatch']);
    }
    // Two lists have no second page in this test: the approvals of a run, because a run has at most one open approval,
    // and the sessions, because an API key has no sessions.
    expect(walked.length).toBe(lists.length - 2);
  });

  it('has 25 rows on a page by default', async () => {
    for (let n = 0; n < 26; n++) await call('POST', '/groups', { name: `many-${n}`, members: [] });
    const { data, next_cursor: next } = await call('GET', '/groups');
    expect([data.length, typeof next]).toEqual([25, 'string']);
  });
});
