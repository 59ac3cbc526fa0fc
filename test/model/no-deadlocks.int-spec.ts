import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { HammerSession, SharedRuns } from './hammer.js';
import { RunDatabase } from './run-database.js';

const SESSIONS = 8;
const ITERATIONS = 3000;
const RUNS = 6;

/** Each finds the runs that break an invariant of the protocol, whatever else may be under way. */
const VIOLATIONS: Record<string, string> = {
  'a step with the epoch of a stop': `select run_id from run_steps where epoch % 2 = 0`,
  'positions with gaps': `
    select r.id from runs r left join run_steps s on s.run_id = r.id
     group by r.id having count(s.n) <> r.step_n - 1 or max(s.n) is distinct from nullif(r.step_n, 1)`,
  'not exactly one run.completed': `
    select r.id from runs r
     where (select count(*) from events e where e.run_id = r.id and e.type = 'run.completed') <> (r.ended_at is not null)::integer`,
  'an approval that was not requested once': `
    select a.run_id from approvals a
     where (select count(*) from events e where e.type = 'run.approval_requested' and e.data ->> 'approval' = a.id) <> 1`,
  'waiting without one open approval, or an open approval without waiting': `
    select r.id from runs r
     where (select count(*) from approvals a where a.run_id = r.id and a.status = 'open') <> (r.status = 'waiting_approval')::integer`,
  'an ended run that waits for something': `
    select r.id from runs r join run_steps s on s.run_id = r.id
     where r.ended_at is not null and s.state in ('awaiting_approval', 'ready', 'waiting')`,
  'a call under way of a run that nobody works on': `
    select r.id from runs r join run_steps s on s.run_id = r.id
     where s.state = 'started' and r.status in ('queued', 'waiting_approval')`,
};

describe('the run state machine under many sessions', () => {
  let database: TestDatabase;
  let runs: RunDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    runs = await RunDatabase.open(database.url, { sessions: SESSIONS });
  }, 60_000);

  afterAll(async () => {
    await runs.close();
    await database.drop();
  });

  it('never deadlocks, never gives up on a lock, and keeps every invariant', async () => {
    const shared = new SharedRuns(await runs.aPlace(), runs);
    for (let made = 0; made < RUNS; made += 1) await shared.replace();
    const sessions = Array.from(
      { length: SESSIONS },
      (_, index) => new HammerSession(runs, shared, randomFrom(index + 1)),
    );
    const outcomes = await Promise.allSettled(sessions.map((session) => session.hammer(ITERATIONS)));
    expect(outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [reasonOf(outcome.reason)] : []))).toEqual(
      [],
    );
    process.stderr.write(
      JSON.stringify(await runs.query(`select status, count(*), max(attempt), max(step_n) from runs group by 1`)) +
        JSON.stringify(await runs.query(`select type,state, count(*) from run_steps group by 1,2`)) +
        JSON.stringify(await runs.query(`select status, count(*) from approvals group by 1`)),
    );
    expect(await violations()).toEqual({});
  }, 60_000);

  async function violations(): Promise<Record<string, unknown[]>> {
    const found: Record<string, unknown[]> = {};
    for (const [sentence, sql] of Object.entries(VIOLATIONS)) {
      const rows = await runs.query<object>(sql);
      if (rows.length > 0) found[sentence] = rows;
    }
    return found;
  }
});

/** The code and words of the driver, which the pool hides behind `unavailable` (40P01: deadlock, 55P03: gave up on a lock). */
function reasonOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : error;
}

/** A repeatable sequence of numbers from 0 up to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
