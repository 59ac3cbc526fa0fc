import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { eventually } from '../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { ADMINS_DECIDE } from '../../libs/runs/src/interpreter/policy.js';
import { checkInvariants } from '@app/installation';
import type { ClaimedRun, Gate, StepIntent, StepResult } from '../../libs/runs/src/records/run-commands.js';
import { openStopScene, type StopScene } from '../../libs/runs/src/testing/stop-scene.js';
import { anIntent, aWrite, RunMachine } from '../../libs/runs/src/testing/run-machine.js';

const WRITERS = 8;
const CYCLES = 100;

const ORDER = { actor: 'ann@example.com', reason: 'smoke', runs: 'suspend', drainTimeoutMillis: 5_000 } as const;
const RESUME = { actor: 'ann@example.com', reason: null, queuedRuns: 'resume' } as const;
const NOT_ABORTED = new AbortController().signal;

const A_GATE: Gate = {
  kind: 'tool_call',
  policy: 'large',
  reason: 'large',
  rule: ADMINS_DECIDE,
  onReject: 'fail',
  handOffTo: [],
  failureIsHandled: false,
  show: {},
};

describe('the emergency stop', () => {
  let database: TestDatabase;
  let scene: StopScene;
  let machine: RunMachine;

  beforeAll(async () => {
    database = await createTestDatabase();
    scene = await openStopScene(database.url);
  });

  beforeEach(async () => {
    machine = await RunMachine.open(database.url, { poolSize: WRITERS });
  });

  afterEach(async () => {
    expect(await checkInvariants(scene.statements, { graceSeconds: 0 })).toEqual([]);
    await machine.close();
  });

  afterAll(async () => {
    await scene.close();
    await database.drop();
  });

  const stop = (order: Partial<Parameters<StopScene['emergencyStop']['stopWorkspace']>[1]> = {}) =>
    scene.emergencyStop.stopWorkspace(machine.workspaceId, { ...ORDER, ...order });
  const resume = (order: Partial<Parameters<StopScene['resumption']['resumeWorkspace']>[1]> = {}) =>
    scene.resumption.resumeWorkspace(machine.workspaceId, { ...RESUME, ...order });

  const advance = (run: ClaimedRun, intents: StepIntent[], results: StepResult[] = []) =>
    machine.store.advance(run, randomUUID(), { results, notes: [], intents });

  const begin = async (run: ClaimedRun, intent: StepIntent): Promise<number> => {
    const verdict = await advance(run, [intent]);
    if (verdict.verdict !== 'ok') throw new Error(`the call did not begin: ${verdict.verdict}`);
    return verdict.steps[0]!.n;
  };

  const valueOf = async <T>(sql: string, id: string): Promise<T> => {
    const [row] = await machine.query<{ value: T }>(sql, [id]);
    return row!.value;
  };
  const workspace = async () => {
    const rows = await machine.query<{ state: string; epoch: string; stopped_by: string | null }>(
      'select state, epoch, stopped_by from workspaces where id = $1',
      [machine.workspaceId],
    );
    return rows[0];
  };
  const wakeOf = (runId: string) => valueOf<string>('select wake_at::text as value from runs where id = $1', runId);
  const audited = () =>
    machine.query<{ action: string }>(
      'select action, actor, detail from audit_events where workspace_id = $1 order by id',
      [machine.workspaceId],
    );
  const emitted = async () => {
    const sql = 'select type from events where workspace_id = $1 and run_id is null order by id';
    return (await machine.query<{ type: string }>(sql, [machine.workspaceId])).map((row) => row.type);
  };

  it(`lets no call begin after its response: ${CYCLES} stops against ${WRITERS} writers, none of which is delayed`, async () => {
    const overtaking: number[] = [];
    let steps = 0;
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const runs = await Promise.all(Array.from({ length: WRITERS }, () => machine.aClaimedRun()));
      const ids = runs.map((run) => run.id);
      const count = async () => {
        const sql = "select count(*)::integer as value from run_steps where run_id = any ($1) and type = 'tool_call'";
        return (await machine.query<{ value: number }>(sql, [ids]))[0]!.value;
      };
      const writing = runs.map(async (run) => {
        for (let finished: StepResult[] = [], n = 0; ; n++) {
          const verdict = await advance(run, [anIntent(`call${n}`)], finished);
          if (verdict.verdict !== 'ok') return verdict.verdict;
          finished = [{ n: verdict.steps[0]!.n, state: 'succeeded' }];
        }
      });
      await eventually(async () => expect(await count()).toBeGreaterThan(WRITERS));
      const atTheOrder = await count();
      await scene.stops.stop(machine.workspaceId, { ...ORDER, cancelRuns: false });
      const atTheAnswer = await count();
      overtaking.push((atTheAnswer - atTheOrder) / WRITERS);
      expect(new Set(await Promise.all(writing))).toEqual(new Set(['stopped']));
      expect([cycle, await count()]).toEqual([cycle, atTheAnswer]);
      steps += atTheAnswer;
      await scene.stops.resume(machine.workspaceId, { actor: 'ann', reason: null });
      await machine.query(`delete from run_steps where run_id = any ($1)`, [ids]);
      await machine.query(`delete from runs where id = any ($1)`, [ids]);
    }
    // If the stop took a row lock instead of the stop lock, new writers could get this lock for seconds while the stop
    // waits for it. Each writer would then add hundreds of steps.
    expect(Math.max(...overtaking)).toBeLessThan(50);
    expect(steps).toBeGreaterThan(CYCLES * WRITERS);
  });

  it('of an idle workspace returns the same epoch for every repetition, with one audit entry and one event', async () => {
    await machine.aQueuedRun();
    const answers = [];
    for (let repeated = 0; repeated < 5; repeated++) answers.push(await stop());
    expect(answers[0]).toEqual({
      epoch: 2,
      stoppedAt: expect.any(Date),
      stoppedBy: 'ann@example.com',
      reason: 'smoke',
      runs: { queued: 1, running: 0, waitingApproval: 0 },
      inFlight: [],
    });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await audited()).toEqual([
      { action: 'workspace.stop', actor: 'ann@example.com', detail: { reason: 'smoke', runs: 'suspend' } },
    ]);
    expect(await emitted()).toEqual(['workspace.stopped']);
  });

  it('waits exactly until the open call has ended', async () => {
    const run = await machine.aClaimedRun();
    const n = await begin(run, aWrite('pay'));
    const stopping = stop({ drainTimeoutMillis: 20_000 });
    await eventually(async () => expect(await workspace()).toMatchObject({ state: 'stopped' }));
    expect(await advance(run, [anIntent('next')], [{ n, state: 'succeeded' }])).toEqual({ verdict: 'stopped' });
    expect(await stopping).toMatchObject({ inFlight: [], runs: { queued: 1, running: 0 } });
    expect(await machine.stepsOf(run.id)).toEqual(['2 pay succeeded', '3 stopped succeeded']);
    expect(await wakeOf(run.id)).toBe('infinity');
  });

  describe('while another transaction takes longer than its limits', () => {
    let other: Client;

    beforeEach(async () => {
      other = new Client({ connectionString: database.url });
      other.on('error', () => undefined);
      await other.connect();
      await other.query('begin');
    });

    afterEach(() => other.end().catch(() => undefined));

    const sleep = () => other.query('select pg_sleep(600)').catch((error: unknown) => error);
    const shareStopLock = () => other.query('select workspace.stop_lock($1)', [machine.workspaceId]);
    const lockRun = (runId: string) => other.query('select from runs where id = $1 for no key update', [runId]);
    const cancelled = { code: '57014' };
    const isOpen = () =>
      other.query('select 1').then(
        () => true,
        () => false,
      );

    it('cancels its statement if it holds the stop lock', async () => {
      await shareStopLock();
      const sleeping = sleep();
      expect(await stop()).toMatchObject({ epoch: 2, inFlight: [] });
      expect(await sleeping).toMatchObject(cancelled);
      expect(await workspace()).toMatchObject({ state: 'stopped' });
    });

    it('ends its session if it holds the stop lock and executes no statement', async () => {
      await shareStopLock();
      expect(await stop()).toMatchObject({ epoch: 2 });
      expect(await isOpen()).toBe(false);
    });

    it('cancels the runs that it has locked, if the stop cancels runs', async () => {
      const run = await machine.aClaimedRun();
      await lockRun(run.id);
      const sleeping = sleep();
      expect(await stop({ runs: 'cancel' })).toMatchObject({ runs: { running: 0 } });
      expect(await sleeping).toMatchObject(cancelled);
      expect(await machine.statusOf(run.id)).toBe('cancelled');
    });

    it.each(['executes a statement', 'executes no statement'])(
      'a run that it has locked is cancelled, if it %s',
      async (activity) => {
        const run = await machine.aClaimedRun();
        await lockRun(run.id);
        const sleeping = activity === 'executes a statement' ? sleep() : undefined;
        const by = { reason: null, actor: 'ann@example.com' };
        expect(await machine.store.cancel(machine.workspaceId, run.id, by)).toBe('cancelled');
        if (sleeping) expect(await sleeping).toMatchObject(cancelled);
        else expect(await isOpen()).toBe(false);
      },
    );

    it('a run that it and a reader of the row have locked is cancelled', async () => {
      const run = await machine.aClaimedRun();
      const reader = new Client({ connectionString: database.url });
      await reader.connect();
      await reader.query('begin');
      await reader.query('select from runs where id = $1 for key share', [run.id]);
      await lockRun(run.id);
      const sleeping = sleep();
      const by = { reason: null, actor: 'ann@example.com' };
      expect(await machine.store.cancel(machine.workspaceId, run.id, by)).toBe('cancelled');
      expect(await sleeping).toMatchObject(cancelled);
      await reader.query('commit');
      await reader.end();
    });
  });

  it('cancels a write that takes long; the worker repeats it, and the call begins once after the resume', async () => {
    const run = await machine.aClaimedRun();
    await machine.query(`create function sleep_long() returns trigger language plpgsql as $$
      begin perform pg_sleep(3); return new; end $$`);
    await machine.query(`create trigger sleep_long before insert on run_steps for each row when (new.path = 'slow')
      execute function sleep_long()`);
    const op = randomUUID();
    const write = () => machine.store.advance(run, op, { results: [], notes: [], intents: [anIntent('slow')] });
    const writing = write().catch((error: unknown) => error);
    await eventually(async () => {
      const held = `select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted
        and database = (select oid from pg_database where datname = current_database())`;
      expect(await machine.query(held)).toHaveLength(1);
    });
    await stop();
    expect(await writing).toMatchObject({ code: 'unavailable', cause: { code: '57014' } });
    await machine.query('drop trigger sleep_long on run_steps');
    await machine.query('drop function sleep_long');
    expect(await write()).toEqual({ verdict: 'stopped' });
    await resume();
    const again = await machine.store.claim(run.id, await machine.aWorker(), randomUUID());
    await begin(again!, anIntent('slow'));
    expect(await machine.stepsOf(run.id)).toEqual(['2 stopped succeeded', '3 resumed succeeded', '4 slow started']);
  });

  it('has calls aborted at their deadline, which a repetition may shorten', async () => {
    const run = await machine.aClaimedRun();
    const order = { ...ORDER, cancelRuns: false };
    await scene.stops.stop(machine.workspaceId, { ...order, drainTimeoutMillis: 60_000 });
    expect(await machine.workers.stopped([run.id])).toEqual([]);
    await scene.stops.stop(machine.workspaceId, { ...order, drainTimeoutMillis: 0 });
    expect(await machine.workers.stopped([run.id])).toEqual([run.id]);
    await resume();
    expect(await machine.workers.stopped([run.id])).toEqual([]);
  });

  it('lists a call that does not end in time, also when it is repeated', async () => {
    const run = await machine.aClaimedRun();
    await begin(run, aWrite('pay'));
    const listed = [
      { runId: run.id, n: 2, tool: 'shop.pay', scope: 'write', startedAt: expect.any(Date), state: 'started' },
    ];
    expect(await stop({ drainTimeoutMillis: 0 })).toMatchObject({ inFlight: listed, runs: { running: 1 } });
    expect(await stop({ drainTimeoutMillis: 0 })).toMatchObject({ epoch: 2, inFlight: listed });
  });

  it.each(['in_doubt', 'interrupted'] as const)(
    'lists a call that is broken off without an answer (%s), and none that never left',
    async (state) => {
      const [broken, held] = [await machine.aClaimedRun(), await machine.aClaimedRun()];
      const [lost, unsent] = [await begin(broken, aWrite('pay')), await begin(held, aWrite('pay'))];
      const stopping = stop({ drainTimeoutMillis: 20_000 });
      await eventually(async () => expect(await workspace()).toMatchObject({ state: 'stopped' }));
      await advance(broken, [], [{ n: lost, state }]);
      await advance(held, [], [{ n: unsent, state: 'ready' }]);
      expect(await stopping).toMatchObject({ inFlight: [{ runId: broken.id, n: lost, state }], runs: { running: 0 } });
    },
  );

  it('defers queued runs, so that pollers do not read them; a resume makes them due in the order of creation', async () => {
    const runs = [await machine.aQueuedRun(), await machine.aQueuedRun(), await machine.aQueuedRun()];
    await stop();
    await scene.heldRuns.sweepSuspendedRuns(NOT_ABORTED);
    expect(await Promise.all(runs.map(wakeOf))).toEqual(['infinity', 'infinity', 'infinity']);
    const worker = await machine.aWorker();
    expect(await machine.store.claim(runs[0]!, worker, randomUUID())).toBeUndefined();
    await resume();
    expect((await machine.store.claim(runs[0]!, worker, randomUUID()))?.id).toBe(runs[0]);
    const wakes = await Promise.all(runs.slice(1).map(wakeOf));
    expect(wakes).toEqual([...wakes].sort());
    expect(wakes).not.toContain('infinity');
  });

  it('defers a run that was claimed again while a call of an earlier claim had no outcome', async () => {
    const first = await machine.aClaimedRun();
    const n = await begin(first, anIntent('slow'));
    await machine.store.release(first, []);
    const second = await machine.store.claim(first.id, await machine.aWorker(), randomUUID());
    await stop({ drainTimeoutMillis: 0 });
    expect(await advance(second!, [anIntent('next')])).toEqual({ verdict: 'stopped' });
    expect(await wakeOf(first.id)).toBe('infinity');
    await machine.store.release(first, [{ n, state: 'succeeded' }]);
    expect(await machine.stepsOf(first.id)).toEqual(['2 slow succeeded', '3 stopped succeeded']);
  });

  it('is recorded in the trace of each run that it interrupts, every time, and in no other', async () => {
    const waiting = await machine.aQueuedRun();
    const running = await machine.aClaimedRun();
    await stop();
    await advance(running, [anIntent('next')]);
    await scene.heldRuns.sweepSuspendedRuns(NOT_ABORTED);
    await resume();
    await machine.store.claim(running.id, await machine.aWorker(), randomUUID());
    await stop();
    await machine.store.release({ ...running, attempt: 2 }, []);
    await resume();
    expect(await machine.stepsOf(running.id)).toEqual([
      '2 stopped succeeded',
      '3 resumed succeeded',
      '4 stopped succeeded',
      '5 resumed succeeded',
    ]);
    expect(await valueOf('select detail as value from run_steps where run_id = $1 and n = 2', running.id)).toEqual({
      by: 'ann@example.com',
      reason: 'smoke',
    });
    expect(await machine.stepsOf(waiting)).toEqual([]);
  });

  it('is completely undone by the reconciler if a resume dies before it has made the runs due', async () => {
    const run = await machine.aQueuedRun();
    await stop();
    await scene.heldRuns.sweepSuspendedRuns(NOT_ABORTED);
    await scene.stops.resume(machine.workspaceId, { actor: 'ann', reason: null });
    expect(await wakeOf(run)).toBe('infinity');
    await scene.heldRuns.sweepSuspendedRuns(NOT_ABORTED);
    expect(await wakeOf(run)).not.toBe('infinity');
  });

  describe('with the runs cancelled', () => {
    const aWaitingRun = async (): Promise<string> => {
      const run = await machine.aClaimedRun();
      await advance(run, [{ ...aWrite('pay'), gate: A_GATE }]);
      return run.id;
    };

    it('cancels every open run with one event, in the name of the caller of the stop', async () => {
      const running = await machine.aClaimedRun();
      const runs = [await machine.aQueuedRun(), running.id, await aWaitingRun()];
      expect((await stop({ runs: 'cancel' })).runs).toEqual({ queued: 0, running: 0, waitingApproval: 0 });
      for (const id of runs) {
        expect(await machine.statusOf(id)).toBe('cancelled');
        expect(await valueOf('select cancel_reason as value from runs where id = $1', id)).toBe('smoke');
      }
      expect(await advance(running, [anIntent('next')])).toEqual({ verdict: 'cancelled' });
    });

    it('is completed by the reconciler if the requested process is gone', async () => {
      const runs = await Promise.all(Array.from({ length: 5 }, () => machine.aQueuedRun()));
      await scene.stops.stop(machine.workspaceId, { ...ORDER, cancelRuns: true });
      await scene.heldRuns.sweepSuspendedRuns(NOT_ABORTED);
      expect(new Set(await Promise.all(runs.map((id) => machine.statusOf(id))))).toEqual(new Set(['cancelled']));
    });

    it('can be requested after the runs were only suspended', async () => {
      const run = await machine.aQueuedRun();
      await stop();
      const again = await stop({ runs: 'cancel' });
      expect(again).toMatchObject({ epoch: 2, runs: { queued: 0 } });
      expect(await machine.statusOf(run)).toBe('cancelled');
      expect((await audited()).map((line) => line.action)).toEqual(['workspace.stop', 'workspace.stop']);
    });

    it('cancels at the resume only the runs that had not begun', async () => {
      const begun = await machine.aClaimedRun();
      const fresh = await machine.aQueuedRun();
      await stop();
      expect(await advance(begun, [anIntent('next')])).toEqual({ verdict: 'stopped' });
      await resume({ queuedRuns: 'cancel' });
      expect(await machine.statusOf(fresh)).toBe('cancelled');
      expect(await machine.statusOf(begun.id)).toBe('queued');
      expect(await wakeOf(begun.id)).not.toBe('infinity');
    });
  });

  describe('stops clocks', () => {
    const STOPPED_SECONDS = 600;
    /** Moves the stop and everything before it `STOPPED_SECONDS` into the past. */
    const aWhileAgo = async () => {
      const earlier = `- interval '${STOPPED_SECONDS} seconds'`;
      await machine.query(`update workspaces set stopped_at = stopped_at ${earlier} where id = $1`, [
        machine.workspaceId,
      ]);
      await machine.query(
        `update approvals set opened_at = opened_at ${earlier}, expires_at = expires_at ${earlier} where workspace_id = $1`,
        [machine.workspaceId],
      );
      await machine.query(
        `update runs set created_at = created_at ${earlier}, queue_deadline = queue_deadline ${earlier} where workspace_id = $1`,
        [machine.workspaceId],
      );
    };
    const secondsLeft = (runId: string) =>
      valueOf<number>(
        `select extract(epoch from expires_at - clock_timestamp())::float8 as value from approvals where run_id = $1`,
        runId,
      );

    it('of approvals: the remaining time is the same as at the stop, after one stop and after two', async () => {
      const run = await machine.aClaimedRun();
      await advance(run, [{ ...aWrite('pay'), gate: A_GATE }]);
      const before = await secondsLeft(run.id);
      const expiresAt = () =>
        valueOf<string>(`select expires_at::text as value from approvals where run_id = $1`, run.id);
      for (const times of [1, 2]) {
        const shown = await expiresAt();
        await stop();
        await stop();
        expect(await expiresAt()).toBe(shown);
        await aWhileAgo();
        await resume();
        await resume();
        expect([times, Math.round((await secondsLeft(run.id)) / 60)]).toEqual([times, Math.round(before / 60)]);
      }
      expect(await emitted()).toEqual([
        'workspace.stopped',
        'workspace.resumed',
        'workspace.stopped',
        'workspace.resumed',
      ]);
    });

    it('of the queue: a run does not expire because of the time it was deferred', async () => {
      const run = await machine.aQueuedRun({ rules: { queueTtlMs: 60_000, concurrency: null } });
      await stop();
      await aWhileAgo();
      expect(await machine.query('select run_machine.expire_queued(10) as expired')).toEqual([{ expired: 0 }]);
      await resume();
      expect(await machine.query('select run_machine.expire_queued(10) as expired')).toEqual([{ expired: 0 }]);
      expect(await machine.statusOf(run)).toBe('queued');
    });
  });

  it('changes nothing when a workspace is resumed that is not stopped', async () => {
    await resume({ queuedRuns: 'cancel' });
    expect(await workspace()).toEqual({ state: 'active', epoch: '1', stopped_by: null });
    expect(await audited()).toEqual([]);
  });

  it('notifies a listening connection', async () => {
    const heard: string[] = [];
    const closing = new AbortController();
    const hearing = new Promise<void>((resolve) => {
      const handlers = { workspace_stopped: (payload: string) => void heard.push(payload) };
      void scene.notifications.listen(
        { handlers, onConnected: resolve, onDisconnected: () => undefined },
        closing.signal,
      );
    });
    await hearing;
    await stop();
    await eventually(() => expect(heard).toEqual([`${machine.workspaceId} ${ORDER.drainTimeoutMillis}`]));
    closing.abort();
  });
});
