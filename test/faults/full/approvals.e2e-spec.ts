import { setTimeout as lasting } from 'node:timers/promises';

import type { JsonObject } from '@app/kernel';

import type { ApiClient } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import { aGroup, aPerson } from '../../support/people.js';
import { FaultScene, RECOVERY } from '../fault-scene.js';
import { Randomness } from '../randomness.js';

interface Waiting {
  run: string;
  approval: string;
}

const RACES = 20;

describe('an approval', () => {
  let scene: FaultScene;
  let eve: ApiClient;
  let bob: ApiClient;

  beforeAll(async () => {
    scene = await FaultScene.start();
    eve = await aPerson(scene.stack, 'eve@example.com');
    bob = await aPerson(scene.stack, 'bob@example.com');
    await aGroup(scene.stack, 'finance', ['eve@example.com', 'bob@example.com']);
  });
  afterEach(() => scene.reset());
  afterAll(() => scene.stop());

  const aPayer = (name: string, timeout = '1h'): Promise<string> =>
    scene.stack.client.createAgent({
      name,
      tools: [
        {
          name: 'bank',
          type: 'http',
          base_url: scene.ledger.url,
          operations: [{ name: 'pay', method: 'POST', path: '/pay' }],
        },
      ],
      policies: [{ name: 'ask', when: 'true', action: 'require_approval', approval: 'finance' }],
      approvals: { finance: { approvers: ['finance'], timeout } },
      steps: [
        { id: 'pay', tool: 'bank.pay', with: {} },
        { id: 'result', output: { paid: true } },
      ],
    });

  const waitingRuns = async (agent: string, count: number): Promise<Waiting[]> => {
    const runs = await scene.startRuns(agent, count);
    return await eventually(async () => {
      const rows = await scene.query<Waiting>(
        `select run_id as run, id as approval from approvals where run_id = any($1) and status = 'open'`,
        [runs],
      );
      expect(rows).toHaveLength(count);
      return rows;
    }, RECOVERY);
  };

  const decide = (person: ApiClient, { run, approval }: Waiting, decision: string) =>
    person.call<JsonObject>('POST', `/v1/runs/${run}/approvals/${approval}`, { decision });

  const aWaitingRun = async (agent: string): Promise<Waiting> => {
    const [waiting] = await waitingRuns(agent, 1);
    if (!waiting) throw new Error('No run waits.');
    return waiting;
  };

  it('is decided once and carried out once when the API is killed during the decision', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      const waiting = await aWaitingRun(await aPayer('killed-api'));
      const decision = scene.network.trap({ statement: 'run_machine_record_decision', withhold: 'answer' });
      const unanswered = decide(eve, waiting, 'approve').catch(() => undefined);
      await decision.sprung;
      await scene.stack.api.kill();
      expect(await unanswered).toBeUndefined();
      decision.release();
      await scene.stack.startApi();
      expect(await decide(eve, waiting, 'approve')).toMatchObject({ status: 200 });
      expect(await decide(bob, waiting, 'reject')).toMatchObject({
        status: 409,
        body: { code: 'approval_already_decided' },
      });
      expect(await scene.settled([waiting.run])).toEqual({ succeeded: 1 });
      expect(scene.ledger.callsOf('/pay')).toHaveLength(1);
    }));

  it('keeps its decision when the response is lost, and a repeated decision gets the same response', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      const waiting = await aWaitingRun(await aPayer('lost-answer'));
      const lost = scene.network.loseAnswers('run_machine_record_decision');
      const first = await decide(eve, waiting, 'approve');
      await lost;
      expect([200, 503]).toContain(first.status);
      expect(await decide(eve, waiting, 'approve')).toMatchObject({ status: 200, body: { status: 'approved' } });
      expect(await scene.settled([waiting.run])).toEqual({ succeeded: 1 });
      expect(scene.ledger.callsOf('/pay')).toHaveLength(1);
    }));

  it('has one decision when two people decide differently at the same moment', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      const runs = await waitingRuns(await aPayer('two-deciders'), RACES);
      let approved = 0;
      for (const waiting of runs) {
        const [yes, no] = await Promise.all([decide(eve, waiting, 'approve'), decide(bob, waiting, 'reject')]);
        expect([yes.status, no.status].sort()).toEqual([200, 409]);
        if (yes.status === 200) approved += 1;
        await scene.settled([waiting.run]);
        expect(await scene.statuses([waiting.run])).toEqual(yes.status === 200 ? { succeeded: 1 } : { failed: 1 });
        expect(scene.ledger.callsOf('/pay', waiting.run)).toHaveLength(yes.status === 200 ? 1 : 0);
      }
      expect(scene.ledger.callsOf('/pay')).toHaveLength(approved);
    }));

  it('has one outcome when it is decided while it expires or while the run is cancelled', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      const random = Randomness.forThisRun();
      const runs = await waitingRuns(await aPayer('out-of-time', '1500ms'), RACES);
      await lasting(1_100);
      const answers = await Promise.all(
        runs.map(async (waiting, index) => {
          await lasting(random.between(0, 800));
          const cancelled =
            index % 4 === 0 ? scene.stack.client.call('POST', `/v1/runs/${waiting.run}/cancel`, {}) : undefined;
          const { status } = await decide(eve, waiting, 'approve');
          await cancelled;
          return { ...waiting, status };
        }),
      );
      await scene.settled(runs.map(({ run }) => run));
      for (const { run, status } of answers) {
        const calls = scene.ledger.callsOf('/pay', run).length;
        const [row] = await scene.query<{ status: string }>('select status from approvals where run_id = $1', [run]);
        // The call may be missing, because the run may be cancelled after the approval and before the call.
        if (status === 200) expect([row?.status, calls <= 1]).toEqual(['approved', true]);
        else expect([status, ['expired', 'cancelled'].includes(row?.status ?? ''), calls]).toEqual([409, true, 0]);
      }
    }));

  it('is followed by a question when the worker dies before the approved call; the call is made once a person confirms', () =>
    scene.scenario(async () => {
      const doomed = await scene.stack.addWorker();
      const waiting = await aWaitingRun(await aPayer('dead-worker'));
      const intent = scene.network.trap({ statement: 'run_machine_advance', withhold: 'answer' });
      expect(await decide(eve, waiting, 'approve')).toMatchObject({ status: 200 });
      await intent.sprung;
      await doomed.kill();
      await scene.stack.addWorker();
      expect(await scene.settled([waiting.run])).toEqual({ waiting_approval: 1 });
      expect(scene.ledger.callsOf('/pay')).toEqual([]);
      const [question] = await scene.query<Waiting>(
        `select run_id as run, id as approval from approvals where run_id = $1 and status = 'open' and kind = 'in_doubt'`,
        [waiting.run],
      );
      if (!question) throw new Error('There is no question to a person.');
      // The approvers of the first approval rule in the definition may answer the question. Bob is one of them.
      expect(await decide(bob, question, 'retry')).toMatchObject({ status: 200 });
      expect(await scene.settled([waiting.run])).toEqual({ succeeded: 1 });
      expect(scene.ledger.callsOf('/pay')).toHaveLength(1);
    }));

  it('cannot be given while the workspace is stopped, but afterwards', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      const [yes, no] = await waitingRuns(await aPayer('stopped'), 2);
      if (!yes || !no) throw new Error('No run waits.');
      await scene.stack.client.expect('POST', '/v1/workspace/emergency-stop', {});
      expect(await decide(eve, yes, 'approve')).toMatchObject({ status: 409, body: { code: 'workspace_stopped' } });
      expect(await decide(eve, no, 'reject')).toMatchObject({ status: 200 });
      expect(scene.ledger.calls).toEqual([]);
      await scene.stack.client.expect('POST', '/v1/workspace/resume', {});
      expect(await decide(eve, yes, 'approve')).toMatchObject({ status: 200 });
      expect(await scene.settled([yes.run, no.run])).toEqual({ failed: 1, succeeded: 1 });
      expect(scene.ledger.calls.map(({ run }) => run)).toEqual([yes.run]);
    }));
});
