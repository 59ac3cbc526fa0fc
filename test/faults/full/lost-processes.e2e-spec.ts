import { setTimeout as lasting } from 'node:timers/promises';

import type { JsonObject } from '@app/kernel';

import { eventually } from '../../support/eventually.js';
import { deliveriesOf, subscribe, verifyMessage } from '../../support/webhooks.js';
import { FaultScene, RECOVERY } from '../fault-scene.js';
import { startRun } from '../load.js';

describe('a process that is killed (kill -9)', () => {
  let scene: FaultScene;
  let agent: string;

  beforeAll(async () => {
    scene = await FaultScene.start({ env: { EGRESS_ALLOW: '127.0.0.1/32', WEBHOOK_TIMEOUT_MS: '1000' } });
    agent = await scene.agent('calls', ['read', '/read'], ['write', '/write']);
  });
  afterEach(() => scene.reset());
  afterAll(() => scene.stop());

  const callsOf = (run: string): number[] => ['/read', '/write'].map((path) => scene.ledger.callsOf(path, run).length);

  it.each(['run_machine_claim', 'run_machine_claim_next'])(
    'as its %s was committed leaves a run that another worker carries out',
    (statement) =>
      scene.scenario(async () => {
        const claims = scene.network.trap({ statement, withhold: 'answer' });
        // A worker that receives the job of a run calls `claim`. A worker that starts looks for waiting runs with
        // `claim_next`, so for this statement the test starts the run before the worker.
        const early = statement === 'run_machine_claim_next' ? await scene.startRuns(agent, 1) : [];
        const doomed = await scene.stack.addWorker();
        const [run = ''] = early.length > 0 ? early : await scene.startRuns(agent, 1);
        await claims.sprung;
        await doomed.kill();
        claims.cut();
        await scene.stack.addWorker();
        expect(await scene.settled([run])).toEqual({ succeeded: 1 });
        expect(callsOf(run)).toEqual([1, 1]);
      }),
  );

  it('leaves the run that it was recovering to a third worker', () =>
    scene.scenario(async () => {
      const first = await scene.stack.addWorker();
      scene.ledger.script('/read', { hang: true });
      const [run = ''] = await scene.startRuns(agent, 1);
      await scene.ledger.called('/read');
      const recovery = scene.network.trap({ statement: 'run_machine_recover', withhold: 'answer' });
      const second = await scene.stack.addWorker();
      await first.kill();
      await recovery.sprung;
      await second.kill();
      recovery.cut();
      await scene.stack.addWorker();
      expect(await scene.settled([run])).toEqual({ succeeded: 1 });
      expect(callsOf(run)).toEqual([2, 1]);
      // A claim whose worker is lost adds 1 to both `attempt` and `recoveries`. The difference between the two is
      // therefore 1, even if the second worker claimed the run before the test killed it.
      const lost = 'select attempt - recoveries as kept from runs where id = $1';
      expect(await scene.query(lost, [run])).toEqual([{ kept: 1 }]);
    }));

  it.each(['request', 'answer'] as const)(
    'as it starts a run, the %s being under way, has started one or none, and with the same key there is one',
    (withhold) =>
      scene.scenario(async () => {
        const creation = scene.network.trap({ statement: 'run_machine_create_run', withhold });
        const key = `killed-${withhold}`;
        const unanswered = startRun(scene.stack, agent, key);
        await creation.sprung;
        await scene.stack.api.kill();
        expect((await unanswered).status).toBe(0);
        creation.cut();
        await scene.stack.startApi();
        const { run = '' } = await startRun(scene.stack, agent, key);
        const known = await scene.query('select resource_id as run from idempotency_keys where key = $1', [key]);
        expect(known).toEqual([{ run }]);
        await scene.stack.addWorker();
        expect(await scene.settled([run])).toEqual({ succeeded: 1 });
        expect(callsOf(run)).toEqual([1, 1]);
        expect(await scene.query(`select from runs where status not in ('succeeded')`)).toEqual([]);
      }),
  );

  it('has stopped the workspace if it dies during the stop: no call begins, and a repetition returns the same stop', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      scene.ledger.script('/read', { hang: true });
      const runs = await scene.startRuns(agent, 5);
      await scene.ledger.called('/read');
      const stop = scene.network.trap({ statement: 'run_machine_stop_workspace', withhold: 'answer' });
      const pressed = scene.stack.client.call('POST', '/v1/workspace/emergency-stop', {}).catch(() => undefined);
      await stop.sprung;
      await scene.stack.api.kill();
      expect(await pressed).toBeUndefined();
      stop.cut();
      const [{ epoch } = { epoch: '' }] = await scene.query<{ epoch: string }>(
        'select epoch from workspaces where id = $1',
        [scene.stack.workspaceId],
      );
      await scene.stack.startApi();
      const again = await scene.stack.client.expect<JsonObject>('POST', '/v1/workspace/emergency-stop', {});
      const answeredAt = Date.now();
      expect(again).toMatchObject({ status: 'stopped', epoch: Number(epoch) });
      scene.ledger.release('/read');
      await lasting(1_000);
      expect(scene.ledger.calls.filter((call) => call.at > answeredAt)).toEqual([]);
      await scene.stack.client.expect('POST', '/v1/workspace/resume', {});
      expect(await scene.settled(runs)).toEqual({ succeeded: 5 });
      for (const run of runs) expect(scene.ledger.callsOf('/write', run)).toHaveLength(1);
    }));

  it('sends a webhook again under the same id if it dies before it has recorded the delivery', () =>
    scene.scenario(async () => {
      const { client } = scene.stack;
      const { id: endpoint, secret } = await subscribe(client, `${scene.ledger.url}/messages`);
      const doomed = await scene.stack.addWorker();
      const record = scene.network.trap({ statement: 'webhooks_record', withhold: 'request' });
      const [run = ''] = await scene.startRuns(agent, 1);
      await record.sprung;
      await doomed.kill();
      record.cut();
      await scene.stack.addWorker();
      await eventually(async () =>
        expect(await deliveriesOf(client, endpoint)).toMatchObject([{ status: 'delivered' }]),
      );
      const messages = scene.ledger.callsOf('/messages').map((call) => verifyMessage(call, secret));
      expect(messages.map(({ data }) => data.id)).toEqual([run, run]);
      expect(new Set(messages.map(({ id }) => id)).size).toBe(1);
      await client.expect('DELETE', `/v1/webhook-endpoints/${endpoint}`);
    }));
});

describe('a response of the emergency stop that is lost after the commit', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ workers: 1 });
  });
  afterAll(() => scene.stop());

  it('does not undo the stop, and a repetition returns the same stop', () =>
    scene.scenario(async () => {
      const { client, workspaceId } = scene.stack;
      const lost = scene.network.loseAnswers('run_machine_stop_workspace');
      const first = await client.call<JsonObject>('POST', '/v1/workspace/emergency-stop', {});
      await lost;
      expect([200, 503]).toContain(first.status);
      const second = await client.expect<{ epoch: number }>('POST', '/v1/workspace/emergency-stop', {});
      expect(await scene.query('select state, epoch from workspaces where id = $1', [workspaceId])).toMatchObject([
        { state: 'stopped', epoch: String(second.epoch) },
      ]);
      expect(second.epoch).toBe(2);
      await client.expect('POST', '/v1/workspace/resume', {});
      const agent = await scene.agent('after', ['write', '/after']);
      expect(await scene.settled(await scene.startRuns(agent, 1), RECOVERY)).toEqual({ succeeded: 1 });
    }));
});
