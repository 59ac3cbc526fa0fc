import { setImmediate as turn } from 'node:timers/promises';
import { DomainError } from '@app/kernel';
import fc from 'fast-check';
import { BulkScene } from '../support/bulk-scene.js';

const RUNS = 40;

/**
 * Terminates a random busy connection of the API. This has the same effect as a crash of the API at this point, before
 * or after the commit.
 */
const LOSE_A_CONNECTION = `select pg_terminate_backend(a.pid) from pg_stat_activity a
  where a.datname = current_database() and a.application_name = 'api' and a.state <> 'idle' order by random() limit 1`;

/**
 * Counts how often each run of the workspace was cancelled. `TIMES_ENDED` and `TIMES_REPLAYED` count ends and replays
 * in the same way.
 */
const TIMES_CANCELLED = `select count(*)::integer as times from run_steps s
  where s.workspace_id = $1 and s.type = 'cancelled' group by s.run_id`;
const TIMES_ENDED = `select count(*)::integer as times from events e
  where e.workspace_id = $1 and e.type = 'run.completed' group by e.run_id`;
const TIMES_REPLAYED = `select count(*)::integer as times from runs r
  join bulk_action_results x on x.workspace_id = r.workspace_id and x.run_id = r.replay_of and x.status = 'succeeded'
  where r.workspace_id = $1 group by x.run_id having bool_and(x.replay_id = r.id)`;

describe('a bulk action that two workers carry out at the same time', () => {
  let scene: BulkScene;

  beforeAll(async () => {
    scene = await BulkScene.open();
  });
  afterAll(() => scene.close());

  async function isCompleted(id: string): Promise<boolean> {
    const text = `update bulk_actions set due_at = case when due_at is not null then clock_timestamp() end where id = $1
      returning status`;
    return (await scene.postgres.query<{ status: string }>(text, [id])).rows[0]!.status === 'completed';
  }

  /**
   * Processes the bulk action until it is completed. Uses no leases and no pauses, so that concurrent calls process the
   * same runs.
   */
  async function complete(id: string): Promise<void> {
    while (!(await isCompleted(id))) {
      try {
        await scene.takeTurn(0);
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
      }
    }
  }

  async function loseConnections(afterTurns: readonly number[]): Promise<void> {
    for (const turns of afterTurns) {
      for (let n = 0; n < turns; n++) await turn();
      await scene.postgres.query(LOSE_A_CONNECTION);
    }
  }

  const timesOf = async (text: string): Promise<number[]> =>
    (await scene.postgres.query<{ times: number }>(text, [scene.tenant.workspaceId])).rows.map(({ times }) => times);

  it('acts on each run once, whatever connection is lost at whatever point', async () => {
    const once = Array<number>(RUNS).fill(1);
    const losses = fc.array(fc.nat(60), { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(fc.constantFrom('cancel', 'replay'), losses, async (action, afterTurns) => {
      await scene.reset();
      const ids = await scene.insertRuns(RUNS, action === 'cancel' ? 'queued' : 'succeeded');
      const { body } = await scene.start({ action, ids });
      await Promise.all([complete(body.id), complete(body.id), loseConnections(afterTurns)]);
      const counts = { total: RUNS, succeeded: RUNS, failed: 0 };
      const { rows } = await scene.postgres.query('select total, succeeded, failed from bulk_actions where id = $1', [
        body.id,
      ]);
      expect(rows).toEqual([counts]);
      if (action === 'replay') return expect(await timesOf(TIMES_REPLAYED)).toEqual(once);
      expect(await timesOf(TIMES_CANCELLED)).toEqual(once);
      expect(await timesOf(TIMES_ENDED)).toEqual(once);
    });
    await fc.assert(property, { numRuns: 12, endOnFailure: true });
  });
});
