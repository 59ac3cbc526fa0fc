import { randomUUID } from 'node:crypto';
import { newId } from '@app/kernel';
import { ADMINS_DECIDE } from '../interpreter/policy.js';
import type { Advance, AdvanceVerdict, ClaimedRun, StepIntent, StepResult } from '../records/run-commands.js';
import { anIntent, aWrite, RunMachine } from '../testing/run-machine.js';

describe('the run store', () => {
  let machine: RunMachine;

  beforeAll(async () => {
    machine = await RunMachine.create({ poolSize: 16 });
  });

  afterAll(() => machine.close());

  const advance = (run: ClaimedRun, write: Partial<Advance>, op: string = randomUUID()): Promise<AdvanceVerdict> =>
    machine.store.advance(run, op, { results: [], notes: [], intents: [], ...write });

  const begin = async (run: ClaimedRun, intent: StepIntent): Promise<number> => {
    const verdict = await advance(run, { intents: [intent] });
    if (verdict.verdict !== 'ok') throw new Error(`the call did not begin: ${verdict.verdict}`);
    return verdict.steps[0]!.n;
  };

  const succeed = (run: ClaimedRun, results: StepResult[] = [], op: string = randomUUID()) =>
    machine.store.finish(run, op, { results, notes: [], outcome: { status: 'succeeded', output: { done: true } } });

  const stop = () =>
    machine.query(`update workspaces set state = 'stopped', epoch = epoch + 1 where id = $1 and state = 'active'`, [
      machine.workspaceId,
    ]);
  const resume = () =>
    machine.query(`update workspaces set state = 'active', epoch = epoch + 1 where id = $1 and state = 'stopped'`, [
      machine.workspaceId,
    ]);

  describe('create', () => {
    it('commits a queued run that is due at once', async () => {
      const creation = machine.aCreation();
      expect(await machine.store.create(creation)).toMatchObject({ verdict: 'created', runId: creation.id });
      expect(await machine.statusOf(creation.id)).toBe('queued');
    });

    it('repeated with the same id after a lost answer makes no second run', async () => {
      const creation = machine.aCreation();
      const first = await machine.store.create(creation);
      expect(await machine.store.create(creation)).toEqual(first);
    });

    it('gives one run to many requests with one idempotency key at the same time', async () => {
      const idempotency = { endpoint: 'POST /runs', key: randomUUID(), fingerprint: Buffer.from('a') };
      const verdicts = await Promise.all(
        Array.from({ length: 12 }, () => machine.inOtherProcess().store.create(machine.aCreation({ idempotency }))),
      );
      const ids = verdicts.map((verdict) => ('runId' in verdict ? verdict.runId : verdict.verdict));
      expect(new Set(ids).size).toBe(1);
      expect(verdicts.filter((verdict) => verdict.verdict === 'created')).toHaveLength(1);
    });

    it('refuses an idempotency key that was used for another body, and purges keys after a day', async () => {
      const idempotency = { endpoint: 'POST /runs', key: randomUUID(), fingerprint: Buffer.from('a') };
      await machine.store.create(machine.aCreation({ idempotency }));
      const other = { ...idempotency, fingerprint: Buffer.from('b') };
      expect(await machine.store.create(machine.aCreation({ idempotency: other }))).toEqual({
        verdict: 'key_reused',
      });
      await machine.query(`update idempotency_keys set created_at = created_at - interval '25 hours' where key = $1`, [
        idempotency.key,
      ]);
      expect(await machine.store.create(machine.aCreation({ idempotency: other }))).toMatchObject({
        verdict: 'created',
      });
    });

    it.each([1, 48])('recognises a request for %i hours, where that is what keys count for', async (hours) => {
      const { store } = machine.inOtherProcess({ idempotencyMillis: hours * 3_600_000 });
      const idempotency = { endpoint: 'POST /runs', key: randomUUID(), fingerprint: Buffer.from('a') };
      const age = (minutes: number) =>
        machine.query(`update idempotency_keys set created_at = created_at - $2 * interval '1 minute' where key = $1`, [
          idempotency.key,
          minutes,
        ]);
      const { id } = machine.aCreation();
      expect(await store.create(machine.aCreation({ id, idempotency }))).toMatchObject({ verdict: 'created' });
      await age(hours * 60 - 1);
      expect(await store.create(machine.aCreation({ idempotency }))).toMatchObject({
        verdict: 'replayed',
        runId: id,
      });
      expect(await store.acceptedAs(machine.workspaceId, idempotency)).toEqual({ runId: id, isSame: true });
      await age(2);
      expect(await store.acceptedAs(machine.workspaceId, idempotency)).toBeUndefined();
      expect(await store.create(machine.aCreation({ idempotency }))).toMatchObject({ verdict: 'created' });
    });

    it('names the version to validate against when production has moved on', async () => {
      await machine.addVersion(2);
      await machine.query('update agents set production_version = 2 where id = $1', [machine.agentId]);
      expect(await machine.store.create(machine.aCreation())).toEqual({ verdict: 'version_changed', version: 2 });
      expect(await machine.store.create(machine.aCreation({ pinned: true }))).toMatchObject({ verdict: 'created' });
      expect(await machine.store.create(machine.aCreation({ pinned: true, version: 7 }))).toEqual({
        verdict: 'version_unknown',
      });
      await machine.query('update agents set production_version = 1 where id = $1', [machine.agentId]);
    });

    it('refuses for an agent of another workspace, an archived agent and a stopped workspace', async () => {
      const elsewhere = machine.aCreation({ workspaceId: newId('workspace') });
      expect(await machine.store.create(elsewhere)).toEqual({ verdict: 'not_found' });
      await machine.query(`update agents set status = 'archived' where id = $1`, [machine.agentId]);
      expect(await machine.store.create(machine.aCreation())).toEqual({ verdict: 'archived' });
      await machine.query(`update agents set status = 'active' where id = $1`, [machine.agentId]);
      await stop();
      expect(await machine.store.create(machine.aCreation())).toEqual({ verdict: 'stopped' });
      await resume();
    });
  });

  describe('claim', () => {
    it('gives a run to exactly one of many workers', async () => {
      const runId = await machine.aQueuedRun();
      const workers = await Promise.all(Array.from({ length: 8 }, () => machine.aWorker()));
      const claims = await Promise.all(
        workers.map((worker) => machine.inOtherProcess().store.claim(runId, worker, randomUUID())),
      );
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(claims.find(Boolean)).toMatchObject({ id: runId, attempt: 1, steps: [], input: { order: 1 } });
    });

    it('repeated after a lost answer is the same claim', async () => {
      const runId = await machine.aQueuedRun();
      const worker = await machine.aWorker();
      const op = randomUUID();
      const first = await machine.store.claim(runId, worker, op);
      expect(await machine.store.claim(runId, worker, op)).toEqual(first);
    });

    it('is refused to a worker whose lease is over, and for a run that is not due', async () => {
      const runId = await machine.aQueuedRun();
      const worker = await machine.aWorker();
      await machine.endLease(worker);
      expect(await machine.store.claim(runId, worker, randomUUID())).toBeUndefined();
      await machine.query(`update runs set wake_at = 'infinity' where id = $1`, [runId]);
      expect(await machine.store.claim(runId, await machine.aWorker(), randomUUID())).toBeUndefined();
    });

    it('finds due runs without their ids, each once, the oldest first', async () => {
      await machine.query(`update runs set wake_at = 'infinity' where status = 'queued'`);
      const runIds = [await machine.aQueuedRun(), await machine.aQueuedRun(), await machine.aQueuedRun()];
      const worker = await machine.aWorker();
      const first = await machine.store.claimNext(worker, randomUUID());
      expect(first?.id).toBe(runIds[0]);
      const rest = await Promise.all(
        [1, 2, 3].map(() => machine.inOtherProcess().store.claimNext(worker, randomUUID())),
      );
      expect(
        rest
          .map((run) => run?.id)
          .filter(Boolean)
          .sort(),
      ).toEqual(runIds.slice(1));
    });
  });

  describe('advance', () => {
    it('records the last result and begins the next call in one write, positions without gaps', async () => {
      const run = await machine.aClaimedRun();
      const n = await begin(run, anIntent('first'));
      const verdict = await advance(run, {
        results: [{ n, state: 'succeeded', output: { total: 40 } }],
        notes: [{ path: 'check', type: 'assertion', state: 'succeeded', detail: { expression: 'true' } }],
        intents: [anIntent('second')],
      });
      expect(verdict).toMatchObject({
        verdict: 'ok',
        steps: [{ n: 4, path: 'second', try: 1, request: { path: 'second' } }],
      });
      expect(await machine.stepsOf(run.id)).toEqual(['2 first succeeded', '3 check succeeded', '4 second started']);
    });

    it('repeated after a lost answer begins nothing twice', async () => {
      const run = await machine.aClaimedRun();
      const op = randomUUID();
      const first = await advance(run, { intents: [aWrite('pay')] }, op);
      expect(await advance(run, { intents: [aWrite('pay')] }, op)).toEqual(first);
      expect(await machine.stepsOf(run.id)).toEqual(['2 pay started']);
    });

    it('never has one logical call under way twice, whatever a worker asks for', async () => {
      const run = await machine.aClaimedRun();
      await begin(run, aWrite('pay'));
      await expect(advance(run, { intents: [aWrite('pay')] })).rejects.toMatchObject({
        constraint: 'run_steps_in_flight_uq',
      });
    });

    it('is refused to a worker that no longer owns the run, but what its call returned is recorded', async () => {
      const runId = await machine.aQueuedRun();
      const slow = await machine.aWorker();
      const run = (await machine.store.claim(runId, slow, randomUUID()))!;
      const n = await begin(run, anIntent('read'));
      await machine.store.cancel(machine.workspaceId, runId, { reason: null, actor: 'ann' });
      expect(
        await advance(run, { results: [{ n, state: 'succeeded', output: 1 }], intents: [anIntent('next')] }),
      ).toEqual({ verdict: 'cancelled' });
      expect(await machine.stepsOf(runId)).toEqual(['2 read succeeded', '3 cancelled succeeded']);
    });

    it('begins nothing in a stopped workspace and takes back what had not begun', async () => {
      const run = await machine.aClaimedRun();
      const op = randomUUID();
      await advance(run, { intents: [aWrite('pay')] }, op);
      await stop();
      expect(await advance(run, { intents: [aWrite('pay')] }, op)).toEqual({ verdict: 'stopped' });
      await resume();
      expect(await machine.stepsOf(run.id)).toEqual(['2 pay ready', '3 stopped succeeded']);
      expect(await machine.statusOf(run.id)).toBe('queued');
    });
  });

  describe('finish', () => {
    it('ends the run with exactly one event, also when it is repeated', async () => {
      const run = await machine.aClaimedRun();
      const op = randomUUID();
      expect(await succeed(run, [], op)).toBe('ok');
      expect(await succeed(run, [], op)).toBe('ok');
      expect(await succeed(run)).toBe('fenced');
      const events = await machine.query<{ type: string; data: unknown }>(
        'select type, data from events where run_id = $1',
        [run.id],
      );
      expect(events).toEqual([
        { type: 'run.completed', data: expect.objectContaining({ run: run.id, status: 'succeeded' }) },
      ]);
    });

    it('cannot change a run that was cancelled', async () => {
      const run = await machine.aClaimedRun();
      await machine.store.cancel(machine.workspaceId, run.id, { reason: 'enough', actor: 'ann' });
      expect(await succeed(run)).toBe('cancelled');
      expect(await machine.statusOf(run.id)).toBe('cancelled');
    });
  });

  describe('recover', () => {
    const lose = async (intent: StepIntent) => {
      const runId = await machine.aQueuedRun();
      const worker = await machine.aWorker();
      const run = (await machine.store.claim(runId, worker, randomUUID()))!;
      await begin(run, intent);
      await machine.endLease(worker);
      return run;
    };

    it('gives a read another try under the next owner, with the stored request', async () => {
      const lost = await lose(anIntent('read'));
      expect(await machine.store.lostRuns(100)).toContain(lost.id);
      expect(await machine.store.recover(lost.id, 5)).toBe('requeued');
      const run = (await machine.store.claim(lost.id, await machine.aWorker(), randomUUID()))!;
      expect(run).toMatchObject({ attempt: 2, steps: [{ n: 2, path: 'read', state: 'interrupted' }] });
      const verdict = await advance(run, { intents: [anIntent('read', { resumes: 2, request: { forged: true } })] });
      expect(verdict).toMatchObject({ steps: [{ n: 3, try: 2, request: { path: 'read' } }] });
      expect(await succeed(lost)).toBe('fenced');
    });

    it('leaves a write that may have happened to its next owner, as a question and never as a call', async () => {
      const lost = await lose(aWrite('pay'));
      expect(await machine.store.recover(lost.id, 5)).toBe('requeued');
      expect(await machine.stepsOf(lost.id)).toEqual(['2 pay in_doubt']);
      const run = (await machine.store.claim(lost.id, await machine.aWorker(), randomUUID()))!;
      await expect(advance(run, { intents: [{ ...aWrite('pay'), resumes: 2 }] })).rejects.toThrow(/cannot be resumed/);
    });

    it('asks a person about a write in doubt, and lets the run go meanwhile', async () => {
      const lost = await lose(aWrite('pay'));
      await machine.store.recover(lost.id, 5);
      const run = (await machine.store.claim(lost.id, await machine.aWorker(), randomUUID()))!;
      const gate = {
        kind: 'in_doubt',
        policy: 'in_doubt',
        reason: 'unknown',
        rule: ADMINS_DECIDE,
        onReject: 'fail',
        handOffTo: [],
        failureIsHandled: false,
        show: {},
      } as const;
      const verdict = await advance(run, { intents: [{ ...aWrite('pay'), resumes: 2, gate }] });
      expect(verdict).toEqual({ verdict: 'paused' });
      expect(await machine.statusOf(run.id)).toBe('waiting_approval');
      const approvals = await machine.query(
        'select kind, status, allowed_decisions, approvers from approvals where run_id = $1',
        [run.id],
      );
      expect(approvals).toEqual([
        {
          kind: 'in_doubt',
          status: 'open',
          allowed_decisions: ['mark_succeeded', 'mark_failed', 'retry'],
          approvers: [],
        },
      ]);
    });

    it('leaves a run alone whose worker lives', async () => {
      const run = await machine.aClaimedRun();
      expect(await machine.store.recover(run.id, 5)).toBe('noop');
    });

    it('brings a run back at once the first time, and apart from those that were lost with it when that happens again', async () => {
      const lost = await Promise.all(Array.from({ length: 24 }, () => lose(anIntent('read'))));
      const ids = lost.map(({ id }) => id);
      const waits = async (recoveries: number): Promise<number[]> => {
        await machine.query(
          `update runs set status = 'running', worker_id = 'lost', wake_at = null, recoveries = $2 where id = any ($1)`,
          [ids, recoveries],
        );
        const [before] = await machine.query<{ now: Date }>('select clock_timestamp() as now');
        for (const id of ids) expect(await machine.store.recover(id, 5)).toBe('requeued');
        const rows = await machine.query<{ wait: number }>(
          `select extract(epoch from wake_at - $2)::float8 as wait from runs where id = any ($1) and wake_at > clock_timestamp() order by 1`,
          [ids, before?.now],
        );
        return rows.map(({ wait }) => wait);
      };
      expect(await waits(0)).toEqual([]);
      const later = await waits(4);
      expect(later.length).toBeGreaterThan(0);
      expect(later.at(-1)! - later[0]!).toBeGreaterThan(2);
      expect(later.at(-1)).toBeLessThan(16 + 4);
    });

    it('fails a run that loses worker after worker', async () => {
      const lost = await lose(anIntent('read'));
      await machine.query('update runs set recoveries = 5 where id = $1', [lost.id]);
      expect(await machine.store.recover(lost.id, 5)).toBe('failed');
      expect((await machine.stepsOf(lost.id)).at(-1)).toBe('3 error failed');
      const [failed] = await machine.query('select status, error from runs where id = $1', [lost.id]);
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'worker_lost' } });
    });
  });

  describe('expireQueued', () => {
    const setState = (state: 'stopped' | 'active') =>
      machine.query('update workspaces set state = $2, epoch = epoch + 1 where id = $1', [machine.workspaceId, state]);

    it('fails runs that no worker began in time, with a step in the trace; a stop is not part of that time', async () => {
      const late = await machine.aQueuedRun({ rules: { queueTtlMs: 0, concurrency: null } });
      const begun = await machine.aClaimedRun({ rules: { queueTtlMs: 3_600_000, concurrency: null } });
      await machine.query(`update runs set queue_deadline = clock_timestamp() where id = $1`, [begun.id]);
      await setState('stopped');
      await machine.store.expireQueued(100);
      expect(await machine.statusOf(late)).toBe('queued');
      await setState('active');
      await machine.store.expireQueued(100);
      const [failed] = await machine.query('select status, error from runs where id = $1', [late]);
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'queue_expired' } });
      expect(await machine.stepsOf(late)).toEqual(['2 error failed']);
      expect(await machine.statusOf(begun.id)).toBe('running');
    });
  });

  describe('releaseOwnership', () => {
    const releaseUnknown = async (graceMillis = 0) => {
      const runId = await machine.aQueuedRun();
      const worker = await machine.aWorker();
      const run = (await machine.store.claim(runId, worker, randomUUID()))!;
      const released = await machine.workers.releaseOwnership(worker, [], {
        olderMillis: graceMillis,
        maxRecoveries: 5,
      });
      return { run, worker, released };
    };

    it('takes a run from a living worker that does not know of it, whose first write is then fenced', async () => {
      const { run, released } = await releaseUnknown();
      expect(released).toEqual([{ runId: run.id, verdict: 'requeued' }]);
      expect(await advance(run, { intents: [anIntent('read')] })).toEqual({ verdict: 'fenced' });
      expect(await machine.stepsOf(run.id)).toEqual([]);
      expect(await machine.statusOf(run.id)).toBe('queued');
    });

    it('leaves recent claims and the runs of the worker alone', async () => {
      const { run, worker, released } = await releaseUnknown(60_000);
      expect(released).toEqual([]);
      expect(await machine.workers.releaseOwnership(worker, [run], { olderMillis: 0, maxRecoveries: 5 })).toEqual([]);
      expect(await succeed(run)).toBe('ok');
    });
  });

  describe('calls that were under way when their run was cancelled', () => {
    const cancelDuring = async (intent: StepIntent) => {
      const run = await machine.aClaimedRun();
      const n = await begin(run, intent);
      await machine.store.cancel(machine.workspaceId, run.id, { reason: null, actor: 'ann' });
      return { run, n };
    };

    it('are closed when no worker reports on them: a write that may have happened stays in doubt', async () => {
      const [read, write] = [await cancelDuring(anIntent('read')), await cancelDuring(aWrite('pay'))];
      await machine.store.closeUnreportedCalls(60_000, 100);
      expect(await machine.stepsOf(read.run.id)).toEqual(['2 read started', '3 cancelled succeeded']);
      expect(await machine.store.closeUnreportedCalls(0, 100)).toBeGreaterThanOrEqual(2);
      expect(await machine.stepsOf(read.run.id)).toEqual(['2 read cancelled', '3 cancelled succeeded']);
      expect(await machine.stepsOf(write.run.id)).toEqual(['2 pay in_doubt', '3 cancelled succeeded']);
    });

    it('get the result of a write that is reported after all', async () => {
      const { run, n } = await cancelDuring(aWrite('pay'));
      await machine.store.closeUnreportedCalls(0, 100);
      await machine.store.release(run, [{ n, state: 'succeeded' }]);
      expect(await machine.stepsOf(run.id)).toEqual(['2 pay succeeded', '3 cancelled succeeded']);
    });

    it('are left alone while the run continues', async () => {
      const run = await machine.aClaimedRun();
      await begin(run, anIntent('read'));
      await machine.store.closeUnreportedCalls(0, 100);
      expect(await machine.stepsOf(run.id)).toEqual(['2 read started']);
    });
  });

  it('answers a heartbeat with lost and stopped runs, and with the death of a worker whose lease has expired', async () => {
    const run = await machine.aClaimedRun();
    const [row] = await machine.query<{ worker_id: string }>('select worker_id from runs where id = $1', [run.id]);
    const worker = row!.worker_id;
    const held = [{ id: run.id, attempt: 1 }];
    expect(await machine.workers.heartbeat(worker, 60_000, held)).toEqual({ alive: true, lost: [], stopped: [] });
    await stop();
    expect(await machine.workers.heartbeat(worker, 60_000, held)).toEqual({ alive: true, lost: [], stopped: [run.id] });
    await resume();
    await machine.store.cancel(machine.workspaceId, run.id, { reason: null, actor: 'ann' });
    expect(await machine.workers.heartbeat(worker, 60_000, held)).toMatchObject({ alive: true, lost: [run.id] });
    await machine.endLease(worker);
    expect(await machine.workers.heartbeat(worker, 60_000, [])).toMatchObject({ alive: false });
  });

  it('gives a released run to the next worker at once', async () => {
    const run = await machine.aClaimedRun();
    expect(await machine.store.release(run, [])).toBe('released');
    const next = await machine.store.claim(run.id, await machine.aWorker(), randomUUID());
    expect(next?.attempt).toBe(2);
  });
});
