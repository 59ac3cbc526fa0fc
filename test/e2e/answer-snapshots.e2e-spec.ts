import { newId } from '@app/kernel';
import { Pool } from 'pg';
import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';
import { anOpenApproval } from '../support/open-approval.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const RUNS = 40;
const PAGES = 100;

/** Switches every run between two statuses, in one transaction. */
const TURN = `
  update runs set
    status = case status when 'queued' then 'running' else 'queued' end,
    worker_id = case status when 'queued' then 'w' end,
    wake_at = case status when 'queued' then null else clock_timestamp() end
  where id = any($1)`;

/**
 * `ASK` makes the run wait for an open approval. `DECIDE` approves the approval and queues the run. Each statement
 * changes the run and the approval in one transaction.
 */
const ASK = `
  with asked as (update approvals set status = 'open', decided_at = null where run_id = $1)
  update runs set status = 'waiting_approval', wake_at = null where id = $1`;
const DECIDE = `
  with decided as (update approvals set status = 'approved', decided_at = clock_timestamp() where run_id = $1)
  update runs set status = 'queued', wake_at = clock_timestamp() where id = $1`;

/**
 * Increments the access version of the knowledge base, and grants access to a person whose name contains the new
 * version.
 */
const REPLACE_GRANTS = `
  with raised as (update knowledge_bases set access_version = access_version + 1 where id = $1 returning access_version)
  update knowledge_grants set principal = 'person-' || access_version || '@example.com' from raised where knowledge_base_id = $1`;

describe('an answer that takes several reads', () => {
  let database: TestDatabase;
  let postgres: Pool;
  let api: TestApi;
  let tenant: TestTenant;
  let agent: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    postgres = new Pool({ connectionString: database.url, max: 2 });
    api = await startApi({ databaseUrl: database.url });
    tenant = await api.newTenant();
    agent = (await ok('POST', '/v1/agents', { name: 'a', steps: [{ id: 's', output: 1 }] })).id;
  });

  afterAll(async () => {
    await postgres.end();
    await api.close();
    await database.drop();
  });

  async function ok(method: string, path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> {
    const answer = await api.call(method, path, { key: tenant.adminKey, body });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body.detail}`);
    return answer.body;
  }

  /** Calls `change` repeatedly while it calls `read` `times` times. Returns the results of `read`. */
  async function whileChanging<T>(change: () => Promise<unknown>, times: number, read: () => Promise<T>): Promise<T[]> {
    const over = new AbortController();
    let changes = 0;
    const changing = (async () => {
      for (; !over.signal.aborted; changes++) await change();
    })();
    try {
      const answers: T[] = [];
      while (answers.length < times) answers.push(await read());
      expect(changes).toBeGreaterThan(10);
      return answers;
    } finally {
      over.abort();
      await changing;
    }
  }

  const insertRuns = (ids: readonly string[]): Promise<unknown> =>
    postgres.query(
      `insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, status, currency, wake_at)
       select id, $1, $2, 1, 'production', '{"type": "api"}', '{}', 'queued', 'EUR', clock_timestamp() from unnest($3::text[]) id`,
      [tenant.workspaceId, agent, ids],
    );

  it('shows each run once while runs move between the statuses of the list', async () => {
    const ids = Array.from({ length: RUNS }, () => newId('run')).sort();
    await insertRuns(ids);
    const pages = await whileChanging(
      () => postgres.query(TURN, [ids]),
      PAGES,
      () => ok('GET', '/v1/runs?status=queued,running&order=asc&limit=100'),
    );
    const wrong = pages
      .map(({ data }) => data.map(({ id }: { id: string }) => id))
      .filter((shown) => shown.join() !== ids.join());
    expect(wrong).toEqual([]);
    await postgres.query('delete from runs where id = any($1)', [ids]);
  });

  it('cuts a list over several statuses into pages in the order of the list', async () => {
    const ids = Array.from({ length: 10 }, () => newId('run')).sort();
    await insertRuns(ids);
    await postgres.query(TURN, [ids.filter((_, n) => n % 3 === 0)]);
    for (const order of ['asc', 'desc'] as const) {
      const shown: string[] = [];
      let cursor = '';
      do {
        const page = await ok('GET', `/v1/runs?status=running,failed,queued&order=${order}&limit=3${cursor}`);
        shown.push(...page.data.map(({ id }: { id: string }) => id));
        cursor = page.next_cursor === undefined ? '' : `&cursor=${page.next_cursor}`;
      } while (cursor !== '');
      expect(shown).toEqual(order === 'asc' ? ids : [...ids].reverse());
    }
    await postgres.query('delete from runs where id = any($1)', [ids]);
  });

  it('shows a run that waits together with the approval that it waits for', async () => {
    const id = newId('run');
    await insertRuns([id]);
    await postgres.query(anOpenApproval(id, newId('approval')));
    const answers = await whileChanging(
      async () => {
        await postgres.query(DECIDE, [id]);
        await postgres.query(ASK, [id]);
      },
      PAGES,
      async () => [await ok('GET', `/v1/runs/${id}`), ...(await ok('GET', `/v1/runs?agent=${agent}`)).data],
    );
    const seen = answers.flat().map(({ status, approvals }) => `${status} ${approvals[0].status}`);
    expect(new Set(seen)).toEqual(new Set(['waiting_approval open', 'queued approved']));
  });

  it('shows the grants of a knowledge base with the version that they belong to', async () => {
    const { id } = await ok('POST', '/v1/knowledge-bases', { name: 'base' });
    await ok('PUT', `/v1/knowledge-bases/${id}/access`, { users: ['person@example.com'] });
    await postgres.query(REPLACE_GRANTS, [id]);
    const path = `/v1/knowledge-bases/${id}/access`;
    const answers = await whileChanging(
      () => postgres.query(REPLACE_GRANTS, [id]),
      PAGES,
      () => api.call('GET', path, { key: tenant.adminKey }),
    );
    const wrong = answers
      .map(({ headers, body }) => [headers.get('etag'), String(body.users[0])])
      .filter(([tag, user]) => user !== `person-${tag?.replaceAll('"', '')}@example.com`);
    expect(wrong).toEqual([]);
  });
});
