import { Client } from 'pg';
import { GREETER } from '../fixtures/definitions.js';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

/** Long enough for a busy machine. */
const RECOVERY = { within: 180_000 };
const RUNS = 120;

interface BulkAnswer {
  id: string;
  status: string;
  counts: { total: number; succeeded: number; failed: number };
}

describe('a bulk action, after kill -9 of the worker that carries it out', () => {
  let scene: Scene;
  let agent: string;

  let replay: BulkAnswer;
  let cancellation: BulkAnswer;

  beforeAll(async () => {
    scene = await Scene.start({ workers: 0 });
    const body = GREETER;
    const headers = { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/yaml' };
    const made = await fetch(`${scene.stack.baseUrl}/v1/agents`, { method: 'POST', headers, body });
    agent = ((await made.json()) as { id: string }).id;
    await insertRuns('succeeded');
    await insertRuns('queued');
    const started = [
      await start({ action: 'replay', filter: { status: ['succeeded'] } }),
      await start({ action: 'cancel', filter: { status: ['queued'] } }),
    ];
    [replay, cancellation] = (await completeAfterKill(started.map(({ id }) => id))) as [BulkAnswer, BulkAnswer];
  });
  afterAll(() => scene.stop());

  /** Inserts runs that wait until the year 2100, or runs that have ended. */
  async function insertRuns(status: 'queued' | 'succeeded'): Promise<void> {
    await scene.stack.query(
      `insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, currency, status, wake_at, ended_at)
       select platform.new_id('run'), $1, $2, 1, 'production', '{"type": "api"}', '{"name": "Ada"}', 'EUR', $3,
         case when $3 = 'queued' then '2100-01-01'::timestamptz end, case when $3 <> 'queued' then clock_timestamp() end
       from generate_series(1, $4)`,
      [scene.stack.workspaceId, agent, status, RUNS],
    );
  }

  const start = (body: { action: string; filter: { status: string[] } }): Promise<BulkAnswer> =>
    scene.stack.client.expect<BulkAnswer>('POST', '/v1/bulk-actions', body);
  const read = (id: string): Promise<BulkAnswer> => scene.stack.client.expect('GET', `/v1/bulk-actions/${id}`);

  /** Locks the result of the oldest run, so that the bulk action cannot be completed. */
  async function holdOldest(id: string): Promise<Client> {
    const holder = new Client({ connectionString: scene.stack.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    const text = 'select from bulk_action_results where bulk_action_id = $1 order by run_id limit 1 for update';
    await holder.query(text, [id]);
    return holder;
  }

  /** Kills the worker after some results of each bulk action. Two other workers then complete them. */
  async function completeAfterKill(ids: string[]): Promise<BulkAnswer[]> {
    const readAll = (): Promise<BulkAnswer[]> => Promise.all(ids.map(read));
    const holders = await Promise.all(ids.map(holdOldest));
    const doomed = await scene.stack.addWorker();
    await eventually(async () => {
      for (const { counts } of await readAll()) expect(counts.succeeded).toBeGreaterThan(0);
    }, RECOVERY);
    await doomed.kill();
    for (const { status } of await readAll()) expect(status).toBe('running');
    await Promise.all(holders.map((holder) => holder.end()));
    await scene.haveWorkers(2);
    await eventually(async () => {
      for (const { status } of await readAll()) expect(status).toBe('completed');
    }, RECOVERY);
    return readAll();
  }

  it('starts one replay of each run', async () => {
    expect(replay).toMatchObject({ counts: { total: RUNS, succeeded: RUNS, failed: 0 } });
    const [replays] = await scene.stack.query<{ all: number; sources: number; settled: number }>(
      `select count(*)::integer as all, count(distinct r.replay_of)::integer as sources, count(x.replay_id)::integer as settled
       from runs r left join bulk_action_results x on x.replay_id = r.id and x.run_id = r.replay_of
       where r.workspace_id = $1 and r.replay_of is not null`,
      [scene.stack.workspaceId],
    );
    expect(replays).toEqual({ all: RUNS, sources: RUNS, settled: RUNS });
  });

  it('cancels each run once', async () => {
    expect(cancellation).toMatchObject({ counts: { total: RUNS, succeeded: RUNS, failed: 0 } });
    const [ends] = await scene.stack.query<{ runs: number; steps: number; events: number }>(
      `select count(*)::integer as runs,
         count((select count(*) from run_steps s where s.run_id = r.id and s.type = 'cancelled' having count(*) = 1))::integer as steps,
         count((select count(*) from events e where e.run_id = r.id and e.type = 'run.completed' having count(*) = 1))::integer as events
       from runs r where r.workspace_id = $1 and r.status = 'cancelled'`,
      [scene.stack.workspaceId],
    );
    expect(ends).toEqual({ runs: RUNS, steps: RUNS, events: RUNS });
  });
});
