import { randomUUID } from 'node:crypto';
import { newId } from '@app/kernel';
import type { DecisionEntry, DecisionVerdict } from './approval.store.js';
import type { ApprovalDecision, Decider } from '../records/approval-status.js';
import type { ApprovalEntity } from '../records/approval.entity.js';
import type { ClaimedRun, Gate, StepIntent } from '../records/run-commands.js';
import { aGate, aWrite, RunMachine } from '../testing/run-machine.js';

type Shown = Pick<ApprovalEntity, 'id' | 'status' | 'decisions' | 'request' | 'show' | 'kind'> & { run_id: string };

const finance = (email: string): Decider => ({ email, groups: ['finance'], isAdmin: false });
const eve = finance('eve@example.com');
const bob = finance('bob@example.com');

const say = (decision: ApprovalDecision, more: Partial<DecisionEntry> = {}): DecisionEntry => ({
  decision,
  comment: null,
  edited: null,
  ...more,
});
const edit = (amount: number): DecisionEntry =>
  say('edit', { edited: { request: { amount }, show: { 'request.amount': amount } } });

const anIsoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);

describe('an approval', () => {
  let machine: RunMachine;

  beforeAll(async () => {
    machine = await RunMachine.create({ poolSize: 16 });
  });

  afterAll(() => machine.close());

  const intend = (run: ClaimedRun, intents: StepIntent[]) =>
    machine.store.advance(run, randomUUID(), { results: [], notes: [], intents });

  const approvalOf = async (runId: string): Promise<Shown> => {
    const rows = await machine.query<Shown>('select * from approvals where run_id = $1 order by id desc limit 1', [
      runId,
    ]);
    return rows[0]!;
  };

  /** Creates a run that waits for an approval before it makes a payment. */
  const aWaitingRun = async (gate: Gate = aGate(), initiator = 'ann@example.com') => {
    const run = await machine.aClaimedRun({ initiator });
    const intent: StepIntent =
      gate.kind === 'step'
        ? { type: 'approval', path: 'sign', gate }
        : { ...aWrite('pay'), request: { amount: 900 }, gate };
    expect(await intend(run, [intent])).toEqual({ verdict: 'paused' });
    return { run, approval: await approvalOf(run.id) };
  };

  const decide = ({ id, run_id }: Shown, decider: Decider, entry: DecisionEntry): Promise<DecisionVerdict> =>
    machine.approvals.decide({ workspaceId: machine.workspaceId, runId: run_id, approvalId: id }, decider, entry);

  const claimAgain = async (runId: string): Promise<ClaimedRun> =>
    (await machine.store.claim(runId, await machine.aWorker(), randomUUID()))!;

  /**
   * Creates a run whose worker was lost during a write. The run waits for a person to state the outcome of the write.
   */
  const aDoubtfulRun = async (overrides: Partial<Gate> = {}, initiator = 'ann@example.com') => {
    const runId = await machine.aQueuedRun({ initiator });
    const worker = await machine.aWorker();
    const lost = (await machine.store.claim(runId, worker, randomUUID()))!;
    await intend(lost, [{ ...aWrite('pay'), request: { amount: 900 } }]);
    await machine.endLease(worker);
    await machine.store.recover(runId, 5);
    const run = await claimAgain(runId);
    const gate = aGate({ kind: 'in_doubt', policy: 'in_doubt', show: {}, ...overrides });
    expect(await intend(run, [{ ...aWrite('pay'), resumes: 2, gate }])).toEqual({ verdict: 'paused' });
    return { lost, approval: await approvalOf(runId) };
  };

  const stepsOf = (runId: string) => machine.stepsOf(runId);
  const runOf = async (runId: string) => {
    const sql = 'select status, error, output from runs where id = $1';
    return (await machine.query<{ status: string; error: unknown; output: unknown }>(sql, [runId]))[0];
  };

  const eventsOf = async (runId: string) =>
    (
      await machine.query<{ type: string }>('select type from events where run_id = $1 order by created_at, id', [
        runId,
      ])
    )
      .map(({ type }) => type)
      .sort();

  const setState = (state: 'stopped' | 'active') =>
    machine.query('update workspaces set state = $2, epoch = epoch + 1 where id = $1', [machine.workspaceId, state]);

  const makeOverdue = ({ id }: Shown) =>
    machine.query(`update approvals set expires_at = clock_timestamp() - interval '1 second' where id = $1`, [id]);

  describe('that is asked for', () => {
    it('takes the run from its worker, with the request as it will be sent and one event', async () => {
      const { run, approval } = await aWaitingRun();
      expect(approval).toMatchObject({ status: 'open', request: { amount: 900 }, decisions: [], kind: 'tool_call' });
      expect(approval.id).toMatch(/^apr_/);
      expect(await machine.statusOf(run.id)).toBe('waiting_approval');
      expect(await stepsOf(run.id)).toEqual(['2 pay#approval awaiting_approval', '3 pay awaiting_approval']);
      expect(await eventsOf(run.id)).toEqual(['run.approval_requested']);
      expect(await machine.store.claim(run.id, await machine.aWorker(), randomUUID())).toBeUndefined();
    });

    it('is the only open one of its run', async () => {
      const { run } = await aWaitingRun();
      await expect(
        machine.query(`select run_machine.open_approval($1, 3, $2)`, [
          run.id,
          JSON.stringify({
            kind: 'tool_call',
            policy: 'p',
            reason: 'r',
            approvers: [],
            required: 1,
            self_approval: false,
            show: {},
            allowed_decisions: [],
            timeout_ms: 1,
            on_timeout: 'fail',
            on_reject: 'fail',
            hand_off_to: [],
            failure_is_handled: false,
          }),
        ]),
      ).rejects.toMatchObject({ constraint: 'approvals_open_uq' });
    });
  });

  describe('that is granted', () => {
    it('makes the run due, and what begins then is the stored request, not what the worker asks for', async () => {
      const { run, approval } = await aWaitingRun();
      expect(await decide(approval, eve, say('approve'))).toBe('decided');
      expect(await runOf(run.id)).toMatchObject({ status: 'queued' });
      const next = await claimAgain(run.id);
      const forged: StepIntent = { ...aWrite('pay'), request: { amount: 1 }, resumes: 3 };
      expect(await intend(next, [forged])).toMatchObject({
        steps: [{ n: 3, state: 'started', request: { amount: 900 } }],
      });
      expect(await eventsOf(run.id)).toEqual(['approval.decided', 'run.approval_requested']);
    });

    it('counts once when one person repeats it, also after it was closed', async () => {
      const { approval } = await aWaitingRun();
      expect(await decide(approval, eve, say('approve'))).toBe('decided');
      expect(await decide(approval, eve, say('approve'))).toBe('repeated');
      expect(await decide(approval, eve, say('reject'))).toBe('closed');
      expect(await decide(approval, bob, say('approve'))).toBe('closed');
      expect((await approvalOf(approval.run_id)).decisions).toHaveLength(1);
    });

    it('by several people needs as many different ones as it says', async () => {
      const { run, approval } = await aWaitingRun(aGate({ rule: { required: 2 } }));
      expect(await decide(approval, eve, say('approve'))).toBe('recorded');
      expect(await decide(approval, eve, say('approve'))).toBe('repeated');
      expect(await runOf(run.id)).toMatchObject({ status: 'waiting_approval' });
      expect(await decide(approval, bob, say('approve'))).toBe('decided');
      expect(await runOf(run.id)).toMatchObject({ status: 'queued' });
    });

    it('by many people at the same time is carried out once', async () => {
      const { run, approval } = await aWaitingRun(aGate({ rule: { required: 3 } }));
      const people = Array.from({ length: 10 }, (_, index) => finance(`person${index}@example.com`));
      const verdicts = await Promise.all(people.map((person) => decide(approval, person, say('approve'))));
      expect(verdicts.filter((verdict) => verdict === 'recorded')).toHaveLength(2);
      expect(verdicts.filter((verdict) => verdict === 'decided')).toHaveLength(1);
      expect(verdicts.filter((verdict) => verdict === 'closed')).toHaveLength(7);
      expect(await eventsOf(run.id)).toEqual(['approval.decided', 'run.approval_requested']);
    });

    it('is recorded in the audit log with the person who decided', async () => {
      const { approval } = await aWaitingRun();
      await decide(approval, eve, say('approve', { comment: 'fine' }));
      expect(
        await machine.query('select actor, action, detail from audit_events where target = $1', [approval.id]),
      ).toEqual([
        {
          actor: 'eve@example.com',
          action: 'approval.approve',
          detail: { run: approval.run_id, tool: 'shop.pay', comment: 'fine' },
        },
      ]);
    });
  });

  describe('may be decided only', () => {
    it('by a member of one of its groups', async () => {
      const { approval } = await aWaitingRun();
      const stranger = { email: 'x@example.com', groups: ['sales'], isAdmin: true };
      expect(await decide(approval, stranger, say('approve'))).toBe('not_an_approver');
      expect((await approvalOf(approval.run_id)).decisions).toEqual([]);
    });

    it('by an admin where it names no group', async () => {
      const { approval } = await aWaitingRun(aGate({ rule: { approvers: [] } }));
      expect(await decide(approval, eve, say('approve'))).toBe('not_an_approver');
      expect(await decide(approval, { ...eve, isAdmin: true }, say('approve'))).toBe('decided');
    });

    it('by another person than the initiator, unless its rule allows that', async () => {
      const { approval } = await aWaitingRun(aGate(), eve.email);
      for (const decision of ['approve', 'reject'] as const) {
        expect(await decide(approval, eve, say(decision))).toBe('self_approval');
      }
      const free = await aWaitingRun(aGate({ rule: { selfApproval: true } }), eve.email);
      expect(await decide(free.approval, eve, say('approve'))).toBe('decided');
    });

    it('with a word that its kind knows', async () => {
      const { approval } = await aWaitingRun();
      expect(await decide(approval, eve, say('mark_succeeded'))).toBe('not_allowed');
      const step = await aWaitingRun(aGate({ kind: 'step' }));
      expect(await decide(step.approval, eve, edit(1))).toBe('not_allowed');
    });

    it('in its own workspace and run', async () => {
      const { approval } = await aWaitingRun();
      const { run: other } = await aWaitingRun();
      const address = { workspaceId: machine.workspaceId, runId: approval.run_id, approvalId: approval.id };
      for (const wrong of [
        { workspaceId: newId('workspace') },
        { runId: other.id },
        { approvalId: newId('approval') },
      ]) {
        expect(await machine.approvals.decide({ ...address, ...wrong }, eve, say('approve'))).toBe('not_found');
      }
    });
  });

  describe('that is edited', () => {
    it('is not approved by a person who expects the revision before the edit', async () => {
      const { approval } = await aWaitingRun(aGate({ rule: { required: 2 } }));
      const before = new Set(['1']);
      expect(await decide(approval, eve, edit(50))).toBe('recorded');
      expect(await decide(approval, bob, say('approve', { expected: before }))).toBe('changed');
      expect(await decide(approval, bob, say('approve', { expected: new Set() }))).toBe('changed');
      expect(await decide(approval, bob, say('approve', { expected: new Set(['1', '2']) }))).toBe('decided');
    });

    it('runs with the new request', async () => {
      const { run, approval } = await aWaitingRun();
      expect(await decide(approval, eve, edit(50))).toBe('decided');
      expect(await approvalOf(run.id)).toMatchObject({ request: { amount: 50 }, show: { 'request.amount': 50 } });
      const next = await claimAgain(run.id);
      expect(await intend(next, [{ ...aWrite('pay'), resumes: 3 }])).toMatchObject({
        steps: [{ request: { amount: 50 } }],
      });
    });

    it('needs a new approval from people who approved the earlier request', async () => {
      const { approval } = await aWaitingRun(aGate({ rule: { required: 2 } }));
      expect(await decide(approval, bob, say('approve'))).toBe('recorded');
      expect(await decide(approval, eve, edit(50))).toBe('recorded');
      expect(await decide(approval, eve, say('approve'))).toBe('repeated');
      expect(await decide(approval, eve, edit(50))).toBe('repeated');
      expect(await decide(approval, bob, say('approve'))).toBe('decided');
    });

    it('twice by one person has the second request', async () => {
      const { run, approval } = await aWaitingRun(aGate({ rule: { required: 2 } }));
      await decide(approval, eve, edit(50));
      expect(await decide(approval, eve, edit(60))).toBe('recorded');
      expect(await approvalOf(run.id)).toMatchObject({
        request: { amount: 60 },
        decisions: [{ by: eve.email, decision: 'edit', at: anIsoTime, request_before: { amount: 50 } }],
      });
    });

    it('is refused when the new request was not checked', async () => {
      const { approval } = await aWaitingRun();
      const unchecked = say('edit', { edited: { request: { amount: 1 }, show: null } });
      await expect(decide(approval, eve, unchecked)).rejects.toThrow(/has not been checked/);
      expect(await approvalOf(approval.run_id)).toMatchObject({ status: 'open', request: { amount: 900 } });
    });
  });

  describe('that is rejected', () => {
    it('ends at the first rejection and fails the run, in the trace too', async () => {
      const { run, approval } = await aWaitingRun(aGate({ rule: { required: 2 } }));
      await decide(approval, bob, say('approve'));
      expect(await decide(approval, eve, say('reject', { comment: 'too much' }))).toBe('decided');
      const error = { code: 'approval_rejected', step: 'pay', message: 'The approval big-refund was rejected.' };
      expect(await runOf(run.id)).toMatchObject({ status: 'failed', error });
      expect(await stepsOf(run.id)).toEqual(['2 pay#approval rejected', '3 pay rejected', '4 error failed']);
      expect(await eventsOf(run.id)).toEqual(['approval.decided', 'run.approval_requested', 'run.completed']);
    });

    it('counts as the last decision of a person who had approved', async () => {
      const { approval } = await aWaitingRun(aGate({ rule: { required: 2 } }));
      await decide(approval, eve, say('approve'));
      expect(await decide(approval, eve, say('reject'))).toBe('decided');
      expect(await decide(approval, eve, say('reject'))).toBe('repeated');
      expect(await decide(approval, eve, say('approve'))).toBe('closed');
    });

    it('continues the run without the call where its rule says so', async () => {
      const { run, approval } = await aWaitingRun(aGate({ onReject: 'continue' }));
      await decide(approval, eve, say('reject'));
      expect(await runOf(run.id)).toMatchObject({ status: 'queued', error: null });
      expect(await stepsOf(run.id)).toEqual(['2 pay#approval rejected', '3 pay rejected']);
    });

    it('hands the run off where its rule says so, to whom the definition says', async () => {
      const { run, approval } = await aWaitingRun(aGate({ onReject: 'hand_off' }));
      await decide(approval, eve, say('reject'));
      const output = { to: ['support-tier2'], reason: 'The approval big-refund was rejected.' };
      expect(await runOf(run.id)).toMatchObject({ status: 'handed_off', output, error: null });
      const notes = await machine.query(`select type, detail from run_steps where run_id = $1 and n = 4`, [run.id]);
      expect(notes).toEqual([{ type: 'hand_off', detail: output }]);
    });

    it('leaves the failure to the plan where the definition has steps for one', async () => {
      const { run, approval } = await aWaitingRun(aGate({ failureIsHandled: true }));
      await decide(approval, eve, say('reject'));
      expect(await runOf(run.id)).toMatchObject({ status: 'queued' });
      const { steps } = await claimAgain(run.id);
      expect(steps.find(({ path }) => path === 'pay')).toMatchObject({
        state: 'failed',
        error: { code: 'approval_rejected', step: 'pay' },
      });
    });

    it.each([
      ['lines[3].pay', 'pay'],
      ['turn[1].call[2]', null],
      ['lines[0].triage.turn[12].call[1]', 'triage'],
    ])('names the step of the definition: for %s %s', async (path, step) => {
      const run = await machine.aClaimedRun();
      await intend(run, [{ ...aWrite(path), gate: aGate() }]);
      await decide(await approvalOf(run.id), eve, say('reject'));
      expect(await runOf(run.id)).toMatchObject({ error: { step } });
    });
  });

  describe('that is not decided in time', () => {
    const expire = async (approval: Shown) => {
      expect(await machine.approvals.expire({ approvalId: approval.id, runId: approval.run_id })).toBe(false);
      await makeOverdue(approval);
      expect(await machine.approvals.due(100)).toContainEqual({ approvalId: approval.id, runId: approval.run_id });
      expect(await machine.approvals.expire({ approvalId: approval.id, runId: approval.run_id })).toBe(true);
      expect(await machine.approvals.expire({ approvalId: approval.id, runId: approval.run_id })).toBe(false);
      expect(await approvalOf(approval.run_id)).toMatchObject({ status: 'expired' });
    };

    it.each([
      ['fail', 'continue', 'failed'],
      ['hand_off', 'fail', 'handed_off'],
      ['reject', 'continue', 'queued'],
      ['reject', 'fail', 'failed'],
      ['reject', 'hand_off', 'handed_off'],
    ] as const)(
      'with on_timeout %s and on_reject %s leaves the run %s, the call never made',
      async (onTimeout, onReject, status) => {
        const { run, approval } = await aWaitingRun(aGate({ onReject, rule: { onTimeout } }));
        await expire(approval);
        expect(await runOf(run.id)).toMatchObject({ status });
        expect(await stepsOf(run.id)).toContain('3 pay rejected');
        expect(await eventsOf(run.id)).toContain('approval.expired');
      },
    );

    it('is expired also for a decision that arrives before the sweep', async () => {
      const { run, approval } = await aWaitingRun();
      await makeOverdue(approval);
      expect(await decide(approval, eve, say('approve'))).toBe('closed');
      expect(await runOf(run.id)).toMatchObject({ status: 'failed', error: { code: 'approval_expired', step: 'pay' } });
    });

    it('is expired or decided, never both', async () => {
      for (let round = 0; round < 10; round++) {
        const { run, approval } = await aWaitingRun();
        await machine.query('update approvals set expires_at = clock_timestamp() where id = $1', [approval.id]);
        const [verdict, expired] = await Promise.all([
          decide(approval, eve, say('approve')),
          machine.approvals.expire({ approvalId: approval.id, runId: run.id }),
        ]);
        const wasDecided = verdict === 'decided' && !expired;
        expect(await eventsOf(run.id)).toEqual(
          wasDecided
            ? ['approval.decided', 'run.approval_requested']
            : ['approval.expired', 'run.approval_requested', 'run.completed'],
        );
      }
    });
  });

  describe('that is open when something else happens', () => {
    it('is cancelled with its run', async () => {
      const { run, approval } = await aWaitingRun();
      await machine.store.cancel(machine.workspaceId, run.id, { reason: null, actor: 'ann' });
      expect(await approvalOf(run.id)).toMatchObject({ status: 'cancelled' });
      expect(await decide(approval, eve, say('approve'))).toBe('closed');
      expect(await stepsOf(run.id)).toEqual(['2 pay#approval cancelled', '3 pay cancelled', '4 cancelled succeeded']);
    });

    it('is cancelled or decided, never both', async () => {
      for (let round = 0; round < 10; round++) {
        const { run, approval } = await aWaitingRun();
        const [verdict, cancelled] = await Promise.all([
          decide(approval, eve, say('reject')),
          machine.store.cancel(machine.workspaceId, run.id, { reason: null, actor: 'ann' }),
        ]);
        expect(['decided ended', 'closed cancelled']).toContain(`${verdict} ${cancelled}`);
        expect((await eventsOf(run.id)).filter((type) => type === 'run.completed')).toHaveLength(1);
      }
    });

    it('can only be answered with no while the workspace is stopped, and its clock stands still', async () => {
      const { run, approval } = await aWaitingRun();
      const { run: going, approval: rejected } = await aWaitingRun(aGate({ onReject: 'continue' }));
      const { lost, approval: doubt } = await aDoubtfulRun();
      await setState('stopped');
      try {
        for (const word of ['mark_succeeded', 'retry'] as const)
          expect(await decide(doubt, eve, say(word))).toBe('stopped');
        expect(await decide(doubt, eve, say('mark_failed'))).toBe('decided');
        for (const entry of [say('approve'), edit(1)]) expect(await decide(approval, eve, entry)).toBe('stopped');
        expect(await decide(rejected, eve, say('reject'))).toBe('decided');
        const sql = `select from runs where id = any ($1) and status = 'queued' and wake_at = 'infinity'`;
        expect(await machine.query(sql, [[going.id, lost.id]])).toHaveLength(2);
        await makeOverdue(approval);
        expect(await machine.approvals.due(100)).not.toContainEqual(expect.objectContaining({ runId: run.id }));
        expect(await machine.approvals.expire({ approvalId: approval.id, runId: run.id })).toBe(false);
      } finally {
        await setState('active');
      }
      expect(await approvalOf(run.id)).toMatchObject({ status: 'open' });
      expect(await decide(approval, eve, say('approve'))).toBe('closed');
    });
  });

  describe('about a call in doubt', () => {
    const payment = async (runId: string) => (await claimAgain(runId)).steps.filter(({ path }) => path === 'pay');

    it('is answered with its outcome, and the run continues with that', async () => {
      const happened = await aDoubtfulRun();
      expect(await decide(happened.approval, eve, say('approve'))).toBe('not_allowed');
      expect(await decide(happened.approval, eve, say('mark_succeeded'))).toBe('decided');
      expect(await payment(happened.lost.id)).toMatchObject([{ state: 'succeeded', error: null }]);
      const failed = await aDoubtfulRun();
      expect(await decide(failed.approval, eve, say('mark_failed'))).toBe('decided');
      expect(await approvalOf(failed.lost.id)).toMatchObject({ status: 'rejected' });
      expect(await payment(failed.lost.id)).toMatchObject([
        { state: 'failed', error: { code: 'tool_error', step: 'pay' } },
      ]);
    });

    it('is made again, with the same request, only when a person says so', async () => {
      const { lost, approval } = await aDoubtfulRun();
      await decide(approval, eve, say('retry'));
      const run = await claimAgain(lost.id);
      const again = await intend(run, [{ ...aWrite('pay'), request: { amount: 1 }, resumes: 2 }]);
      expect(again).toMatchObject({ steps: [{ try: 2, state: 'started', request: { amount: 900 } }] });
    });

    it('may be answered by the initiator: it is a fact, not a permission', async () => {
      const { approval } = await aDoubtfulRun({}, eve.email);
      expect(await decide(approval, eve, say('mark_succeeded'))).toBe('decided');
    });

    it('stays in doubt without an answer, and the run fails with that', async () => {
      const { lost, approval } = await aDoubtfulRun();
      await makeOverdue(approval);
      await machine.approvals.expire({ approvalId: approval.id, runId: lost.id });
      expect(await runOf(lost.id)).toMatchObject({ status: 'failed', error: { code: 'in_doubt', step: 'pay' } });
      expect(await stepsOf(lost.id)).toEqual(['2 pay in_doubt', '3 pay#in_doubt rejected', '4 error failed']);
    });

    it('is handed off without an answer, where its rule says so, and stays in doubt', async () => {
      const { lost, approval } = await aDoubtfulRun({ rule: { ...aGate().rule, onTimeout: 'hand_off' } });
      await makeOverdue(approval);
      await machine.approvals.expire({ approvalId: approval.id, runId: lost.id });
      expect(await runOf(lost.id)).toMatchObject({ status: 'handed_off', error: null });
      expect(await stepsOf(lost.id)).toEqual(['2 pay in_doubt', '3 pay#in_doubt rejected', '4 pay succeeded']);
    });

    it('is withdrawn when the worker that was taken for dead answers after all', async () => {
      const { lost, approval } = await aDoubtfulRun();
      await machine.store.advance(lost, randomUUID(), {
        results: [{ n: 2, state: 'succeeded', output: { id: 7 } }],
        notes: [],
        intents: [],
      });
      expect(await approvalOf(lost.id)).toMatchObject({ status: 'cancelled' });
      expect(await decide(approval, eve, say('retry'))).toBe('closed');
      expect(await payment(lost.id)).toMatchObject([{ state: 'succeeded', output: { id: 7 } }]);
    });
  });
});
