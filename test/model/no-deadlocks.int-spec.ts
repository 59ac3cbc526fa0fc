import { countDeadlocks, shortenDeadlockTimeout } from '../support/deadlocks.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { HammerSession, SharedRuns } from './hammer.js';
import { RunDatabase } from './run-database.js';

/**
 * Number of sessions. Two connection pools serve half of the sessions each, like the pools of two processes. Concurrent
 * calls of one pool share a commit.
 */
const SESSIONS = 8;
const SESSIONS_THAT_SHARE = 48;
const ITERATIONS = 300;

/** Queries that find stuck runs, in addition to the invariants of the service. They must return nothing. */
const LEFT_BEHIND: Record<string, string> = {
  'an ended run that waits for something': `
    select r.id from runs r join run_steps s on s.run_id = r.id
     where r.ended_at is not null and s.state in ('awaiting_approval', 'ready', 'waiting')`,
  'an open call of a run without a worker': `
    select r.id from runs r join run_steps s on s.run_id = r.id
     where s.state = 'started' and r.status in ('queued', 'waiting_approval')`,
};

describe('the run state machine under many sessions', () => {
  let database: TestDatabase;
  let runs: RunDatabase;
  let elsewhere: RunDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    const first = await RunDatabase.open(database.url);
    await shortenDeadlockTimeout((text) => first.query(text));
    await first.close();
    runs = await RunDatabase.open(database.url, { sessions: SESSIONS });
    elsewhere = await RunDatabase.open(database.url, { sessions: SESSIONS });
  });

  afterAll(async () => {
    await elsewhere.close();
    await runs.close();
    await database.drop();
  });

  it('never deadlocks, never exceeds a lock timeout and keeps every invariant', async () => {
    expect(await failuresOf(6, (session) => session.hammer(ITERATIONS))).toEqual([]);
    expect(await runs.violations()).toEqual([]);
    expect(await leftBehind()).toEqual({});
    expect(await deadlocks()).toBe(0);
  });

  it('claims runs of agents with limits by id and as pollers do, without a deadlock', async () => {
    expect(await failuresOf(20, (session) => session.hammerClaims(ITERATIONS))).toEqual([]);
    expect(await deadlocks()).toBe(0);
  });

  it('shares commits between calls of many sessions without a deadlock, and keeps every invariant', async () => {
    const work = (session: HammerSession) => session.hammerWork(ITERATIONS / 3);
    expect(await failuresOf(16, work, SESSIONS_THAT_SHARE)).toEqual([]);
    const claims = (session: HammerSession) => session.hammerClaims(ITERATIONS / 3);
    expect(await failuresOf(20, claims, SESSIONS_THAT_SHARE)).toEqual([]);
    expect(await runs.violations()).toEqual([]);
    expect(await deadlocks()).toBe(0);
  });

  const deadlocks = (): Promise<number | undefined> => countDeadlocks((text) => runs.query(text));

  async function failuresOf(
    runCount: number,
    hammer: (session: HammerSession) => Promise<void>,
    count = SESSIONS,
  ): Promise<unknown[]> {
    const shared = new SharedRuns([await runs.aPlace(), await runs.aPlace()], runs);
    await shared.start(runCount);
    const sessions = Array.from(
      { length: count },
      (_, seed) => new HammerSession(seed % 2 === 0 ? runs : elsewhere, shared, randomFrom(seed + 1)),
    );
    const outcomes = await Promise.allSettled(sessions.map(hammer));
    return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [reasonOf(outcome.reason)] : []));
  }

  async function leftBehind(): Promise<Record<string, unknown[]>> {
    const found: Record<string, unknown[]> = {};
    for (const [sentence, sql] of Object.entries(LEFT_BEHIND)) {
      const rows = await runs.query<object>(sql);
      if (rows.length > 0) found[sentence] = rows;
    }
    return found;
  }
});

/**
 * Returns the code and the message of the error of the database driver. The pool wraps this error in `unavailable`.
 * 40P01 is a deadlock, and 55P03 is a lock timeout.
 */
function reasonOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : error;
}

/**
 * Returns a generator of pseudo-random numbers from 0 (inclusive) to 1 (exclusive). They depend only on the seed
 * (mulberry32).
 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
