import { BulkActionWorker } from '@app/runs';
import { PENDING } from '../../libs/runs/src/bulk/bulk-action.store.js';
import type { PlanNode } from '../support/asked-plans.js';
import { BulkScene } from '../support/bulk-scene.js';

const MAX_RUNS = 10_000;

describe('the cost of bulk actions', () => {
  let scene: BulkScene;

  beforeAll(async () => {
    scene = await BulkScene.open();
  });
  beforeEach(() => scene.reset());
  afterAll(() => scene.close());

  it('is a commit for each 50 cancellations, whatever the number of runs', async () => {
    const ids = await scene.insertRuns(MAX_RUNS + 5, 'queued');
    const { body } = await scene.start({ action: 'cancel', filter: { status: ['queued'] }, limit: MAX_RUNS });
    expect(body).toMatchObject({ status: 'queued', counts: { total: MAX_RUNS } });
    expect(await scene.work()).toBe(MAX_RUNS / 50);
    const counts = { total: MAX_RUNS, succeeded: MAX_RUNS, failed: 0 };
    expect(await scene.get(body.id)).toMatchObject({ status: 'completed', counts });
    const text = 'select id from runs where workspace_id = $1 and status = $2 order by id desc';
    const { rows } = await scene.postgres.query<{ id: string }>(text, [scene.tenant.workspaceId, 'queued']);
    expect(rows.map(({ id }) => id)).toEqual(ids.slice(MAX_RUNS));
    const ended = `select count(*)::integer as n from events where workspace_id = $1 and type = 'run.completed'`;
    expect((await scene.postgres.query(ended, [scene.tenant.workspaceId])).rows).toEqual([{ n: MAX_RUNS }]);
  });

  it('follows from the page for a page of results, and from the batch for the pending runs', async () => {
    const results = MAX_RUNS * 2;
    await scene.postgres.query(
      `insert into bulk_actions (id, workspace_id, action, actor, status, total, succeeded, due_at)
       values ('bulk_plans', $1, 'cancel', 'x', 'running', $2, $2 - 30, 'infinity')`,
      [scene.tenant.workspaceId, results],
    );
    await scene.postgres.query(
      `insert into bulk_action_results (bulk_action_id, run_id, workspace_id, status)
       select 'bulk_plans', 'run_' || lpad(n::text, 8, '0'), $1, case when n % ($2 / 30) = 0 then 'pending' else 'succeeded' end
       from generate_series(1, $2) n`,
      [scene.tenant.workspaceId, results],
    );
    await scene.postgres.query('analyze bulk_action_results');
    const page = `select * from bulk_action_results x where x.workspace_id = $1 and x.bulk_action_id = $2 and x.run_id < $4
      order by x.run_id desc limit $3`;
    expect(await rowsRead(PENDING.text, [scene.tenant.workspaceId, 'bulk_plans', 20])).toBe(20);
    expect(await rowsRead(page, [scene.tenant.workspaceId, 'bulk_plans', 26, 'run_00010000'])).toBe(26);
  });

  /** Returns the number of rows that the statement reads. Expects that it reads all of them with an index. */
  async function rowsRead(text: string, values: unknown[]): Promise<number> {
    const explain = `explain (analyze, buffers, format json) ${text}`;
    const { rows } = await scene.postgres.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain, values);
    const all = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)];
    const nodes = all(rows[0]!['QUERY PLAN'][0].Plan);
    expect(nodes.filter((node) => /Seq Scan|Sort/.test(node['Node Type']))).toEqual([]);
    const scans = nodes.filter((node) => node['Relation Name'] !== undefined);
    return scans.reduce((sum, node) => sum + node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), 0);
  }

  it('ends with their retention, which deletes in batches', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `run_${n}`);
    const old = await scene.start({ action: 'cancel', ids });
    const recent = await scene.start({ action: 'cancel', ids: ['run_1'] });
    await scene.work();
    const age = (id: string, days: number) =>
      scene.postgres.query(`update bulk_actions set ended_at = ended_at - $2 * interval '1 day' where id = $1`, [
        id,
        days,
      ]);
    await age(old.body.id, 32);
    await age(recent.body.id, 30);
    const worker = scene.api.app.get(BulkActionWorker, { strict: false });
    expect([await worker.purge(), await worker.purge(), await worker.purge()]).toEqual(['again', 'again', 'done']);
    expect((await scene.call('GET', `/bulk-actions/${old.body.id}`)).status).toBe(404);
    expect((await scene.call('GET', `/bulk-actions/${recent.body.id}`)).status).toBe(200);
    const left = 'select count(*)::integer as n from bulk_action_results where bulk_action_id = $1';
    expect((await scene.postgres.query(left, [old.body.id])).rows).toEqual([{ n: 0 }]);
  });
});
