import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import type { ApprovalDecision } from '../records/approval-status.js';
import type { ClaimedRun, Gate, StepIntent, StepNote, StepResult } from '../records/run-commands.js';
import { aGate, anIntent, aWrite, RunMachine } from '../testing/run-machine.js';

const eve = { email: 'eve@example.com', groups: ['finance'], isAdmin: false };
const ABORTED = { response_summary: 'shop.pay: The request was aborted by its caller.' };
/** Time in milliseconds for which a call ran before its outcome became unknown. */
const CALLED_FOR_MS = 5_000;
/**
 * Matches the duration of the call, with a tolerance of some seconds for slow test machines. Does not match a duration
 * that includes the hour before the person decides.
 */
const aboutAsLong: unknown = expect.closeTo(CALLED_FOR_MS + 4_000, -4);

describe('the time that a trace says a call took', () => {
  let machine: RunMachine;

  beforeAll(async () => {
    machine = await RunMachine.create();
  });

  afterAll(() => machine.close());

  const write = (run: ClaimedRun, intents: StepIntent[], results: StepResult[] = [], notes: StepNote[] = []) =>
    machine.store.advance(run, randomUUID(), { results, notes, intents });

  const claim = async (runId: string, worker?: string): Promise<ClaimedRun> =>
    (await machine.store.claim(runId, worker ?? (await machine.aWorker()), randomUUID()))!;

  const letPass = (runId: string, millis: number) =>
    machine.query(
      `update run_steps set started_at = started_at - $2 * interval '1 millisecond' where run_id = $1 and path = 'pay'`,
      [runId, millis],
    );

  const payment = async (runId: string) => {
    const sql = `select state, detail, ended_at is not null as ended from run_steps where run_id = $1 and path = 'pay' order by n limit 1`;
    return (await machine.query<{ state: string; detail: JsonObject | null; ended: boolean }>(sql, [runId]))[0];
  };

  const cancel = (runId: string) =>
    machine.store.cancel(machine.workspaceId, runId, { reason: null, actor: 'ann@example.com' });

  const decide = async (runId: string, decision: ApprovalDecision) => {
    const [open] = await machine.query<{ id: string }>('select id from approvals where run_id = $1', [runId]);
    const address = { workspaceId: machine.workspaceId, runId, approvalId: open!.id };
    expect(await machine.approvals.decide(address, eve, { decision, comment: null, edited: null })).toBe('decided');
  };

  /** Creates a run with a write call that started {@link CALLED_FOR_MS} ago and has no result. */
  const aPayingRun = async (worker?: string): Promise<ClaimedRun> => {
    const run = await claim(await machine.aQueuedRun(), worker);
    await write(run, [{ ...aWrite('pay'), request: { amount: 900 } }]);
    await letPass(run.id, CALLED_FOR_MS);
    return run;
  };

  /**
   * Creates a run whose call was aborted after {@link CALLED_FOR_MS}. A person was asked for the outcome an hour ago.
   */
  const aDoubtfulRun = async (): Promise<ClaimedRun> => {
    const run = await aPayingRun();
    await write(run, [], [{ n: 2, state: 'in_doubt', detail: ABORTED }]);
    await write(run, [{ ...aWrite('pay'), resumes: 2, gate: aGate({ kind: 'in_doubt', policy: 'in_doubt' }) }]);
    await letPass(run.id, 3_600_000);
    return run;
  };

  it('is none for what a run says and what a replay repeats: they end at the moment they begin', async () => {
    const run = await machine.aClaimedRun();
    const notes: StepNote[] = Array.from({ length: 50 }, (_, n) => ({
      path: `check[${n}]`,
      type: 'assertion',
      state: 'succeeded',
    }));
    await write(run, [anIntent('look')], [], notes);
    await machine.store.finish(run, randomUUID(), {
      results: [{ n: 52, state: 'succeeded', output: 1 }],
      notes: [],
      outcome: { status: 'succeeded', output: {} },
    });
    const replay = machine.aCreation({ pinned: true, replay: { of: run.id, first: { n: 53, path: null } } });
    await machine.store.create(replay);
    const endAtOnce = async (id: string) => {
      const sql = `select type, count(*)::integer as steps, bool_and(ended_at = started_at) as at_once
        from run_steps where run_id = $1 group by type order by type`;
      return await machine.query(sql, [id]);
    };
    expect((await endAtOnce(run.id))[0]).toEqual({ type: 'assertion', steps: 50, at_once: true });
    expect(await endAtOnce(replay.id)).toEqual([{ type: 'tool_call', steps: 1, at_once: true }]);
  });

  describe('when it is in doubt, is until it became doubtful:', () => {
    it('when it was broken off or ran into its timeout, also in a run that is cancelled', async () => {
      const run = await aDoubtfulRun();
      const detail = { ...ABORTED, duration_ms: aboutAsLong };
      expect(await payment(run.id)).toEqual({ state: 'in_doubt', detail, ended: false });
      await cancel(run.id);
      expect(await payment(run.id)).toEqual({ state: 'in_doubt', detail, ended: false });
      const cancelled = await aPayingRun();
      await cancel(cancelled.id);
      await machine.store.release(cancelled, [{ n: 2, state: 'in_doubt', detail: ABORTED }]);
      expect(await payment(cancelled.id)).toMatchObject({ state: 'in_doubt', detail });
    });

    it('when its worker was found dead, before its run ended or after', async () => {
      const worker = await machine.aWorker();
      const lost = await aPayingRun(worker);
      await machine.endLease(worker);
      await machine.store.recover(lost.id, 5);
      expect(await payment(lost.id)).toMatchObject({ state: 'in_doubt', detail: { duration_ms: aboutAsLong } });
      const cancelled = await aPayingRun();
      await cancel(cancelled.id);
      await machine.store.closeUnreportedCalls(0, 100);
      expect(await payment(cancelled.id)).toMatchObject({ state: 'in_doubt', detail: { duration_ms: aboutAsLong } });
    });

    it.each([
      ['mark_succeeded', 'succeeded', `${eve.email} marked it as succeeded. Before that: ${ABORTED.response_summary}`],
      ['mark_failed', 'failed', `${eve.email} marked it as failed. Before that: ${ABORTED.response_summary}`],
      ['retry', 'interrupted', ABORTED.response_summary],
    ] as const)('and not until a person says %s', async (decision, state, summary) => {
      const run = await aDoubtfulRun();
      await decide(run.id, decision);
      const detail = { response_summary: summary, duration_ms: aboutAsLong };
      expect(await payment(run.id)).toEqual({ state, detail, ended: true });
    });

    it('unless its answer arrives after all, for which it took as long as that', async () => {
      const run = await aDoubtfulRun();
      const detail = { response_summary: '200 {}' };
      await machine.store.release(run, [{ n: 2, state: 'succeeded', output: {}, detail }]);
      expect(await payment(run.id)).toEqual({ state: 'succeeded', detail, ended: true });
    });

    it('and is nothing that a replay of the call has', async () => {
      const run = await aDoubtfulRun();
      await decide(run.id, 'mark_succeeded');
      const [row] = await machine.query<{ calls: { detail: JsonObject }[] }>(
        'select * from run_machine.recorded_calls($1, $2)',
        [machine.workspaceId, run.id],
      );
      expect(row?.calls).toMatchObject([{ detail: { response_summary: expect.any(String) } }]);
      expect(row?.calls[0]?.detail).not.toHaveProperty('duration_ms');
    });
  });

  describe('when nothing of it was sent, is none:', () => {
    const aWaitingRun = async (gate: Partial<Gate> = {}): Promise<string> => {
      const run = await machine.aClaimedRun();
      await write(run, [{ ...aWrite('pay'), request: { amount: 900 }, gate: aGate(gate) }]);
      await letPass(run.id, 3_600_000);
      return run.id;
    };
    const NONE = { detail: { duration_ms: 0 }, ended: true };

    it.each([
      [true, 'failed'],
      [false, 'rejected'],
    ])('when it was rejected (the plan knows what to do then: %s)', async (failureIsHandled, state) => {
      const runId = await aWaitingRun({ failureIsHandled });
      await decide(runId, 'reject');
      expect(await payment(runId)).toEqual({ state, ...NONE });
    });

    it('when its run was cancelled before, or after it was approved', async () => {
      const [waiting, approved] = [await aWaitingRun(), await aWaitingRun()];
      await decide(approved, 'approve');
      for (const runId of [waiting, approved]) {
        await cancel(runId);
        expect(await payment(runId)).toEqual({ state: 'cancelled', ...NONE });
      }
    });

    it('when it was approved and then only simulated: it begins after the decision', async () => {
      const runId = await aWaitingRun();
      await decide(runId, 'approve');
      await write(await claim(runId), [], [{ n: 3, state: 'simulated', output: {} }]);
      const sql = `select s.state, s.started_at >= a.decided_at as after from run_steps s join approvals a using (run_id, n) where run_id = $1`;
      expect(await machine.query(sql, [runId])).toEqual([{ state: 'simulated', after: true }]);
    });

    it('but not when it had started a run that it waited for', async () => {
      const run = await machine.aClaimedRun();
      await write(run, [anIntent('pay', { tool: 'helper.run' })]);
      const child = await machine.aQueuedRun();
      await machine.query(
        `insert into child_runs (run_id, workspace_id, parent_run_id, call_key, depth) values ($1, $2, $3, $4, 2)`,
        [child, machine.workspaceId, run.id, `${run.id}/pay`],
      );
      await write(run, [], [{ n: 2, state: 'ready' }]);
      await cancel(run.id);
      expect(await payment(run.id)).toEqual({ state: 'cancelled', detail: null, ended: true });
    });
  });
});
