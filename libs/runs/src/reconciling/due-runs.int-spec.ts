import { randomUUID } from 'node:crypto';
import type { DueWork } from '@app/platform/database';
import { ChildRunStore } from '../children/child-run.store.js';
import { aGate, aWrite, RunMachine } from '../testing/run-machine.js';
import {
  CHILD_RUNS,
  DUE_APPROVALS,
  DUE_RUNS,
  LOST_RUNS,
  QUEUE_DEADLINES,
  RUNS_OF_ARCHIVED_AGENTS,
  SUSPENDED_RUNS,
  unknownRuns,
  unreportedCalls,
} from './due-runs.js';

describe('the conditions of the sweeps of runs', () => {
  let machine: RunMachine;
  let worker: string;

  beforeAll(async () => {
    machine = await RunMachine.create();
    worker = await machine.aWorker(3_600_000);
  });

  afterEach(() => machine.query('truncate runs, run_steps, approvals, child_runs cascade'));

  afterAll(() => machine.close());

  const isDue = async ({ isDue: condition }: DueWork): Promise<boolean> =>
    (await machine.query<{ due: boolean }>(`select (${condition}) is true as due`))[0]!.due;

  /** Asserts that the kind is due exactly between the two actions. */
  async function isDueBetween(kind: DueWork, arrange: () => Promise<unknown>, sweep: () => Promise<unknown>) {
    expect(await isDue(kind)).toBe(false);
    await arrange();
    expect(await isDue(kind)).toBe(true);
    await sweep();
    expect(await isDue(kind)).toBe(false);
  }

  const claim = async (runId: string) => (await machine.store.claim(runId, worker, randomUUID()))!;
  const setState = (state: 'stopped' | 'active', cancelsRuns = false) =>
    machine.query('update workspaces set state = $2, cancel_runs = $3, epoch = epoch + 1 where id = $1', [
      machine.workspaceId,
      state,
      cancelsRuns,
    ]);
  const recoverAll = async () => {
    for (const runId of await machine.store.lostRuns(100)) await machine.store.recover(runId, 5);
  };

  it('find runs whose wake time has come', () =>
    isDueBetween(
      DUE_RUNS,
      () => machine.aQueuedRun(),
      () => machine.store.claimNext(worker, randomUUID()),
    ));

  it('find runs that this worker owns for longer than a lease', async () => {
    const run = await machine.aQueuedRun();
    await isDueBetween(
      unknownRuns(worker, 0),
      () => claim(run),
      () => machine.workers.releaseOwnership(worker, [], { olderMillis: 0, maxRecoveries: 5 }),
    );
    await claim(run);
    expect(await isDue(unknownRuns(worker, 60_000))).toBe(false);
    expect(await isDue(unknownRuns(await machine.aWorker(), 0))).toBe(false);
  });

  it('accept a worker whose name contains a quote', async () => {
    expect(await isDue(unknownRuns("a'b", 0))).toBe(false);
  });

  it('find runs of a worker whose lease has expired', async () => {
    const lost = await machine.aWorker();
    await machine.store.claim(await machine.aQueuedRun(), lost, randomUUID());
    await isDueBetween(LOST_RUNS, () => machine.endLease(lost), recoverAll);
  });

  it('find calls whose run has ended without their outcome', async () => {
    const run = await claim(await machine.aQueuedRun());
    await machine.store.advance(run, randomUUID(), { results: [], notes: [], intents: [aWrite('pay')] });
    await isDueBetween(
      unreportedCalls(0),
      () => machine.store.cancel(machine.workspaceId, run.id, { reason: null, actor: 'ann@example.com' }),
      () => machine.store.closeUnreportedCalls(0, 100),
    );
  });

  it('find approvals whose deadline has passed', async () => {
    const run = await claim(await machine.aQueuedRun());
    const intents = [{ ...aWrite('pay'), gate: aGate() }];
    await machine.store.advance(run, randomUUID(), { results: [], notes: [], intents });
    await isDueBetween(
      DUE_APPROVALS,
      () => machine.query(`update approvals set expires_at = clock_timestamp() where run_id = $1`, [run.id]),
      async () => {
        for (const approval of await machine.approvals.due(100)) await machine.approvals.expire(approval);
      },
    );
  });

  it('find runs that no worker has begun in time', () =>
    isDueBetween(
      QUEUE_DEADLINES,
      () => machine.aQueuedRun({ rules: { queueTtlMs: 0, concurrency: null } }),
      () => machine.store.expireQueued(100),
    ));

  it('find due runs of a stopped workspace, and suspended runs after it was resumed', async () => {
    await machine.aQueuedRun();
    await isDueBetween(
      SUSPENDED_RUNS,
      () => setState('stopped'),
      () => machine.query('select run_machine.defer_stopped_runs(100)'),
    );
    await isDueBetween(
      SUSPENDED_RUNS,
      () => setState('active'),
      () => machine.query('select run_machine.resume_suspended_runs($1, 100)', [machine.workspaceId]),
    );
  });

  it('find a stop that cancels runs', () =>
    isDueBetween(
      SUSPENDED_RUNS,
      () => setState('stopped', true),
      () => setState('active'),
    ));

  it('find child runs whose parent has ended', async () => {
    const childRuns = new ChildRunStore(machine.newStatements());
    const parent = await claim(await machine.aQueuedRun());
    const calling = { runId: parent.id, attempt: parent.attempt, callKey: 'ask', budgetMicros: null };
    expect((await childRuns.createChildRun(machine.aCreation(), calling)).verdict).toBe('created');
    await isDueBetween(
      CHILD_RUNS,
      () => machine.store.cancel(machine.workspaceId, parent.id, { reason: null, actor: 'ann@example.com' }),
      () => childRuns.sweepChildRuns(),
    );
  });

  it('find runs of an archived agent', async () => {
    await machine.aQueuedRun();
    await isDueBetween(
      RUNS_OF_ARCHIVED_AGENTS,
      () =>
        machine.query(`update agents set status = 'archived', sweep_until = clock_timestamp() where id = $1`, [
          machine.agentId,
        ]),
      async () => {
        await machine.store.sweepRunsOfArchivedAgents();
        await machine.store.sweepRunsOfArchivedAgents();
      },
    );
  });
});
