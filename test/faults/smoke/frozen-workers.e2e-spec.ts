import { setTimeout as lasting } from 'node:timers/promises';

import type { Program } from '../../support/program.js';
import { eventually } from '../../support/eventually.js';
import { FaultScene, LEASE_MS, START_BUDGET_MS } from '../fault-scene.js';

describe('a worker that is suspended (SIGSTOP)', () => {
  let scene: FaultScene;
  let agent: string;

  beforeAll(async () => {
    scene = await FaultScene.start();
    agent = await scene.agent('writes', ['write', '/write']);
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  /** Suspends the worker after Postgres has acknowledged the intent of a call and before the worker sends the call. */
  const suspendBeforeTheCall = async (worker: Program): Promise<string> => {
    const intent = scene.network.trap({ statement: 'run_machine_advance', withhold: 'answer' });
    const [run = ''] = await scene.startRuns(agent, 1);
    await intent.sprung;
    worker.signal('SIGSTOP');
    intent.release();
    return run;
  };

  it('exits when it resumes after three leases; its write is not repeated, and its result is recorded', () =>
    scene.scenario(async () => {
      const frozen = await scene.aWorker();
      scene.ledger.script('/write', { hang: true });
      const [run = ''] = await scene.startRuns(agent, 1);
      await scene.ledger.called('/write');
      frozen.signal('SIGSTOP');
      scene.ledger.release('/write');
      await scene.stack.addWorker();
      await lasting(3 * LEASE_MS);
      // The new owner does not know the outcome of the call, so it asks a person.
      expect(await scene.settled([run])).toEqual({ waiting_approval: 1 });

      frozen.expectExit('exit 9');
      frozen.signal('SIGCONT');
      await eventually(() => expect(frozen.exit).toBe('exit 9'));
      // The suspended worker reports its late result before it exits. The question to the person is then closed.
      await eventually(async () => expect(await scene.statuses([run])).toEqual({ succeeded: 1 }));
      expect(await scene.callStates(run)).toEqual(['call1 succeeded']);
      expect(scene.ledger.callsOf('/write')).toHaveLength(1);
      const approvals = await scene.query('select kind, status from approvals where run_id = $1', [run]);
      expect(approvals).toEqual([{ kind: 'in_doubt', status: 'cancelled' }]);
    }));

  it('asks again before the call if it was suspended longer than the permission lasts', () =>
    scene.scenario(async () => {
      const worker = await scene.aWorker();
      const run = await suspendBeforeTheCall(worker);
      await lasting(START_BUDGET_MS + 400);
      const asksAgain = scene.network.trap({ statement: 'run_machine_advance', withhold: 'request' });
      worker.signal('SIGCONT');
      await asksAgain.sprung;
      expect(scene.ledger.calls).toEqual([]);
      asksAgain.release();
      expect(await scene.settled([run])).toEqual({ succeeded: 1 });
      expect(scene.ledger.callsOf('/write')).toHaveLength(1);
      expect(worker.hasEnded).toBe(false);
    }));

  it('never makes the call if it was suspended for three leases before it', () =>
    scene.scenario(async () => {
      const zombie = await scene.aWorker();
      const run = await suspendBeforeTheCall(zombie);
      await lasting(3 * LEASE_MS);
      zombie.expectExit('exit 9');
      zombie.signal('SIGCONT');
      await eventually(() => expect(zombie.exit).toBe('exit 9'));
      expect(scene.ledger.calls).toEqual([]);

      // Only the suspended worker knows that it did not send the call. If it can still report this, the run continues
      // without a person. Otherwise the run asks a person.
      await scene.stack.addWorker();
      const statuses = await scene.settled([run]);
      const calls = scene.ledger.callsOf('/write').length;
      expect([statuses, calls]).toEqual(calls === 0 ? [{ waiting_approval: 1 }, 0] : [{ succeeded: 1 }, 1]);
    }));
});
