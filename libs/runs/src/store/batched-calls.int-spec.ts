import { randomUUID } from 'node:crypto';
import { newId } from '@app/kernel';
import { Client } from 'pg';
import { countDeadlocks, shortenDeadlockTimeout } from '../../../../test/support/deadlocks.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import type { ClaimedRun, Creation, QueueRules } from '../records/run-commands.js';
import { anIntent, RunMachine } from '../testing/run-machine.js';

const RUNS = 5;

describe('calls of the run store that are made at the same time', () => {
  let database: TestDatabase;
  let machine: RunMachine;
  let somebody: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    somebody = new Client({ connectionString: database.url });
    await somebody.connect();
    await shortenDeadlockTimeout((text) => somebody.query(text));
  });
  beforeEach(async () => {
    machine = await RunMachine.open(database.url, { poolSize: 8 });
  });
  afterEach(async () => {
    await somebody.query('rollback');
    await machine.query(`update runs set wake_at = 'infinity' where status = 'queued'`);
    await machine.close();
  });
  afterAll(async () => {
    await somebody.end();
    await database.drop();
  });

  const together = <T>(count: number, call: (position: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, position) => call(position)));
  const start = (overrides: Partial<Creation> = {}) => machine.store.create(machine.aCreation(overrides));
  const limited = (rules: Partial<NonNullable<QueueRules['concurrency']>>): Partial<Creation> => ({
    rules: { queueTtlMs: null, concurrency: { max: 1, maxPerKey: null, key: null, rejectConflict: false, ...rules } },
  });
  const claimedTogether = async (count: number): Promise<ClaimedRun[]> => {
    const worker = await machine.aWorker();
    const ids = await together(count, () => machine.aQueuedRun());
    const claims = await Promise.all(ids.map((id) => machine.store.claim(id, worker, randomUUID())));
    return claims.filter((run) => run !== undefined);
  };
  const advance = (run: ClaimedRun, resumes?: number) =>
    machine.store.advance(run, randomUUID(), {
      results: [],
      notes: [],
      intents: [anIntent('read', resumes === undefined ? {} : { resumes })],
    });
  const succeed = (run: ClaimedRun) =>
    machine.store.finish(run, randomUUID(), { results: [], notes: [], outcome: { status: 'succeeded', output: {} } });
  /** Returns the number of transactions that wrote the current versions of the given rows. */
  const commits = async (table: string, key: string, ids: readonly string[]): Promise<number> => {
    const rows = await machine.query(`select distinct xmin::text from ${table} where ${key} = any($1)`, [ids]);
    return rows.length;
  };
  const places = (runs: readonly ClaimedRun[]) => runs.map(({ id }) => id);

  it('share one commit from the start to the end, and leave what single ones leave', async () => {
    const worker = await machine.aWorker();
    const started = await together(RUNS, () => start());
    const ids = started.map((verdict) => ('runId' in verdict ? verdict.runId : verdict.verdict));
    expect(new Set(ids).size).toBe(RUNS);
    expect(await commits('runs', 'id', ids)).toBe(1);

    const runs = await Promise.all(ids.map((id) => machine.store.claim(id, worker, randomUUID())));
    expect(runs.map((run) => run?.id)).toEqual(ids);
    expect(await commits('runs', 'id', ids)).toBe(1);

    const begun = await Promise.all(runs.map((run) => advance(run!)));
    expect(begun.map((verdict) => verdict.verdict === 'ok' && verdict.steps.map(({ n }) => n))).toEqual(
      Array.from({ length: RUNS }, () => [2]),
    );
    expect(await commits('run_steps', 'run_id', ids)).toBe(1);

    expect(await Promise.all(runs.map((run) => succeed(run!)))).toEqual(Array.from({ length: RUNS }, () => 'ok'));
    expect(await commits('runs', 'id', ids)).toBe(1);
    expect(await commits('events', 'run_id', ids)).toBe(1);
    expect(await together(RUNS, (n) => machine.statusOf(ids[n]!))).toEqual(Array(RUNS).fill('succeeded'));
  });

  it('take each due run once, the oldest first, and find none where there is none', async () => {
    const ids = [await machine.aQueuedRun(), await machine.aQueuedRun(), await machine.aQueuedRun()];
    const worker = await machine.aWorker();
    const ops = Array.from({ length: RUNS }, () => randomUUID());
    const claims = await Promise.all(ops.map((op) => machine.store.claimNext(worker, op)));
    expect(claims.map((run) => run?.id)).toEqual([...ids, undefined, undefined]);
    expect(await commits('runs', 'id', ids)).toBe(1);
    const again = await Promise.all(ops.map((op) => machine.store.claimNext(worker, op)));
    expect(again.map((run) => run && [run.id, run.attempt])).toEqual([
      ...ids.map((id) => [id, 1]),
      undefined,
      undefined,
    ]);
  });

  it('claim nothing when others have the run or a stop suspends it', async () => {
    const [first, other] = [await machine.aWorker(), await machine.aWorker()];
    const ids = await together(2, () => machine.aQueuedRun());
    await machine.store.claim(ids[0]!, first, randomUUID());
    const claims = await Promise.all([...ids, newId('run')].map((id) => machine.store.claim(id, other, randomUUID())));
    expect(claims.map((run) => run?.id)).toEqual([undefined, ids[1], undefined]);
  });

  it('do not wait for a run that another transaction has locked', async () => {
    const runs = await claimedTogether(3);
    const [first, locked, third] = runs as [ClaimedRun, ClaimedRun, ClaimedRun];
    await somebody.query('begin');
    await somebody.query('select from runs where id = $1 for update', [locked.id]);
    const waiting = [first, locked, third].map((run) => advance(run));
    expect(await waiting[0]).toMatchObject({ verdict: 'ok' });
    expect(await waiting[2]).toMatchObject({ verdict: 'ok' });
    await somebody.query('commit');
    expect(await waiting[1]).toMatchObject({ verdict: 'ok' });
    expect(await commits('run_steps', 'run_id', places([first, third]))).toBe(1);
    expect(await commits('run_steps', 'run_id', places(runs))).toBe(2);
  });

  it('do not wait for a workspace that is being stopped, and a stop is not overtaken by them', async () => {
    const stopped = await RunMachine.open(database.url);
    const fence = `select pg_advisory_xact_lock(hashtextextended('workspace:' || $1, 0))`;
    await somebody.query('begin');
    await somebody.query(fence, [stopped.workspaceId]);
    const held = machine.store.create(stopped.aCreation());
    const others = [start(), start()];
    expect(await Promise.all(others)).toMatchObject([{ verdict: 'created' }, { verdict: 'created' }]);
    await somebody.query(`update workspaces set state = 'stopped', epoch = epoch + 1 where id = $1`, [
      stopped.workspaceId,
    ]);
    await somebody.query('commit');
    expect(await held).toEqual({ verdict: 'stopped' });
    await stopped.close();
  });

  it('do not wait long for a key that another transaction holds', async () => {
    const idempotency = { endpoint: 'POST /runs', key: randomUUID(), fingerprint: Buffer.from('a') };
    await somebody.query('begin');
    await somebody.query(
      `insert into idempotency_keys (workspace_id, endpoint, key, fingerprint, resource_id) values ($1, $2, $3, $4, 'run')`,
      [machine.workspaceId, idempotency.endpoint, idempotency.key, idempotency.fingerprint],
    );
    const waiting = [start({ idempotency }), start(), start()];
    expect(await Promise.all(waiting.slice(1))).toMatchObject([{ verdict: 'created' }, { verdict: 'created' }]);
    await somebody.query('rollback');
    expect(await waiting[0]).toMatchObject({ verdict: 'created' });
  });

  it('fail for the one that is wrong alone', async () => {
    const [first, wrong, third] = (await claimedTogether(3)) as [ClaimedRun, ClaimedRun, ClaimedRun];
    await advance(wrong);
    const outcomes = await Promise.allSettled([advance(first), advance(wrong, 2), advance(third)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { message: expect.stringContaining('cannot be resumed') as string } });
    expect(await machine.stepsOf(first.id)).toEqual(['2 read started']);
  });

  it('make one run of requests with one key, in one process and in several', async () => {
    const processes = [machine.inOtherProcess(), machine.inOtherProcess(), machine];
    for (let round = 0; round < 10; round++) {
      const keys = Array.from({ length: 4 }, () => randomUUID());
      const verdicts = await together(36, (n) => {
        const idempotency = { endpoint: 'POST /runs', key: keys[(n * 7) % 4]!, fingerprint: Buffer.from('a') };
        return processes[n % 3]!.store.create(machine.aCreation({ idempotency }));
      });
      expect(verdicts.filter(({ verdict }) => verdict === 'created')).toHaveLength(4);
      expect(new Set(verdicts.map((verdict) => ('runId' in verdict ? verdict.runId : verdict.verdict))).size).toBe(4);
    }
    expect(await countDeadlocks((text) => machine.query(text))).toBe(0);
  });

  it('keep to the limits of an agent: of runs that begin, and of those that are refused', async () => {
    const worker = await machine.aWorker();
    const ids = await together(3, () => machine.aQueuedRun(limited({})));
    const byId = await Promise.all(ids.map((id) => machine.store.claim(id, worker, randomUUID())));
    expect(byId.filter((run) => run !== undefined)).toHaveLength(1);
    await machine.query('update runs set wake_at = clock_timestamp() where id = any($1) and wake_at is not null', [
      ids,
    ]);
    expect(await together(3, () => machine.store.claimNext(worker, randomUUID()))).toEqual(Array(3).fill(undefined));

    const refusing = await RunMachine.open(database.url);
    const verdicts = await together(4, () =>
      machine.store.create(refusing.aCreation(limited({ rejectConflict: true }))),
    );
    expect(verdicts.map(({ verdict }) => verdict).sort()).toEqual(['conflict', 'conflict', 'conflict', 'created']);
    await refusing.close();
  });

  it('count what turns of a model cost by themselves, each once', async () => {
    const runs = await claimedTogether(3);
    const begun = await Promise.all(
      runs.map((run) =>
        machine.store.advance(run, randomUUID(), {
          results: [],
          notes: [],
          intents: [{ path: 'ask', type: 'model_call', effect: 'read', request: { provider: 'p', model: 'm' } }],
        }),
      ),
    );
    expect(begun.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
    const tokens = { input: 10, output: 5, cacheRead: 6, cacheWrite: 2, reasoning: 4 };
    const cost = { provider: 'p', model: 'm', ...tokens, micros: 7, currency: 'EUR', partial: false };
    const ends = runs.map((run) =>
      machine.store.finish(run, randomUUID(), {
        results: [{ n: 2, state: 'succeeded', output: 'answer', cost }],
        notes: [],
        outcome: { status: 'succeeded', output: {} },
      }),
    );
    expect(await Promise.all(ends)).toEqual(['ok', 'ok', 'ok']);
    const used = await machine.query(
      'select turns::integer, cost_micros::integer from model_usage where agent_id = $1',
      [machine.agentId],
    );
    expect(used).toEqual([{ turns: 3, cost_micros: 21 }]);
    const [run] = await machine.query(
      `select array[input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens]::integer[] as tokens
        from runs where id = $1`,
      [runs[0]!.id],
    );
    expect(run).toEqual({ tokens: [10, 5, 6, 2, 4] });
    expect(await commits('runs', 'id', places(runs))).toBe(3);
  });
});
