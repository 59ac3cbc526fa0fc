import { setTimeout as lasting } from 'node:timers/promises';

import { eventually } from '../../support/eventually.js';
import { FaultScene, LEASE_MS, RECOVERY } from '../fault-scene.js';
import { preloading } from '../preloading.js';
import { WorkerSupervisor } from '../worker-supervisor.js';

const MINUTES = 60_000;
const BACKLOG = 100;

describe('a group of workers', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ env: { WORKER_CONCURRENCY: '8' } });
  });
  afterEach(() => scene.reset());
  afterAll(() => scene.stop());

  it('finishes its backlog when all workers are killed and others start five seconds later', () =>
    scene.scenario(async () => {
      const agent = await scene.agent('backlog', ['write', '/first'], ['idempotent', '/second'], ['read', '/third']);
      scene.ledger.always('/second', { delayMillis: 300 });
      const doomed = await Promise.all([1, 2, 3].map(() => scene.stack.addWorker()));
      const runs = await scene.startRuns(agent, BACKLOG);
      await scene.ledger.called('/second', 10);
      // Some of the interrupted calls may be calls to `/first`, which must not be repeated. A person must decide about
      // these calls.
      await Promise.all(doomed.map((worker) => worker.kill()));
      const cutOff = new Set(
        scene.ledger
          .callsOf('/first')
          .filter(({ state }) => state !== 'answered')
          .map(({ run }) => run),
      );
      await lasting(5_000);
      const [before] = await scene.query<{ requests: number }>('select count(*)::integer as requests from runs');
      await Promise.all([1, 2, 3].map(() => scene.stack.addWorker()));
      const statuses = await scene.settled(runs, { within: 40_000 });

      const inDoubt = await scene.query<{ run_id: string }>(`select run_id from run_steps where state = 'in_doubt'`);
      expect(statuses).toEqual({
        succeeded: BACKLOG - inDoubt.length,
        ...(inDoubt.length > 0 && { waiting_approval: inDoubt.length }),
      });
      for (const run of cutOff) expect(inDoubt.map(({ run_id }) => run_id)).toContain(run);
      for (const run of runs) expect(scene.ledger.callsOf('/first', run).length).toBeLessThanOrEqual(1);
      for (const path of ['/second', '/third']) {
        const calls = scene.callsPerRun(path);
        expect(calls.size).toBe(BACKLOG - inDoubt.length);
        expect([...calls.values()].every((each) => new Set(each.map((call) => call.idempotencyKey)).size === 1)).toBe(
          true,
        );
      }
      expect(before?.requests).toBe(BACKLOG);
    }));

  it('does not repeat a write when the event loop of a worker is blocked for three leases during it', () =>
    scene.scenario(async () => {
      const agent = await scene.agent('blocks', ['write', '/blocked']);
      scene.ledger.script('/blocked', { hang: true });
      const blocked = await scene.stack.addWorker(preloading('block.mjs', { BLOCK_MS: String(3 * LEASE_MS) }));
      const [run = ''] = await scene.startRuns(agent, 1);
      await scene.ledger.called('/blocked');
      blocked.expectExit('exit 9');
      blocked.signal('SIGUSR2');
      scene.ledger.release('/blocked');
      await scene.stack.addWorker();
      await eventually(() => expect(blocked.exit).toBe('exit 9'), { within: 4 * LEASE_MS });
      await eventually(async () => expect(await scene.statuses([run])).toEqual({ succeeded: 1 }), RECOVERY);
      expect(await scene.callStates(run)).toEqual(['call1 succeeded']);
      expect(scene.ledger.callsOf('/blocked')).toHaveLength(1);
    }));

  it('fails a run that kills every worker after five recoveries and executes all others', () =>
    scene.scenario(async () => {
      const poison = preloading('poison.mjs', { POISON: 'poisoned' });
      await Promise.all([1, 2].map(() => scene.stack.addWorker(poison)));
      const supervisor = WorkerSupervisor.start(scene, poison);
      const poisoned = await scene.agent('poisoned', ['read', '/poisoned']);
      const harmless = await scene.agent('harmless', ['idempotent', '/harmless'], ['read', '/read']);
      scene.ledger.always('/harmless', { delayMillis: 100 });
      const [culprit = ''] = await scene.startRuns(poisoned, 1);
      const others: string[] = [];
      while (Object.keys(await scene.statuses([culprit]))[0] !== 'failed') {
        others.push(...(await scene.startRuns(harmless, 2)));
        await lasting(250);
        if (others.length > 500) throw new Error('The poisoned run was never given up.');
      }
      expect(await scene.settled(others, RECOVERY)).toEqual({ succeeded: others.length });
      await supervisor.stop();

      const [row] = await scene.query<{ recoveries: number; error: { code: string } }>(
        'select recoveries, error from runs where id = $1',
        [culprit],
      );
      expect(row).toMatchObject({ recoveries: 5, error: { code: 'worker_lost' } });
      expect(supervisor.replaced).toBe(6);
      expect(scene.ledger.callsOf('/poisoned')).toEqual([]);
      for (const run of others) {
        const keys = new Set(scene.ledger.callsOf('/harmless', run).map((call) => call.idempotencyKey));
        expect([...keys]).toEqual([`${run}/call1`]);
      }
    }));
});

describe('programs whose clocks are wrong', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ env: preloading('skew.mjs', { SKEW_MS: String(60 * MINUTES) }) });
  });
  afterAll(() => scene.stop());

  it('lose no lease, start nothing early and record correct times with errors of ten minutes and one hour', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker({ SKEW_MS: String(10 * MINUTES) });
      await scene.stack.addWorker({ SKEW_MS: String(-10 * MINUTES) });
      const agent = await scene.stack.client.createAgent({
        name: 'waits',
        tools: [
          {
            name: 'tool',
            type: 'http',
            base_url: scene.ledger.url,
            operations: [{ name: 'read', method: 'GET', path: '/{place}' }],
          },
        ],
        steps: [
          { id: 'before', tool: 'tool.read', with: { place: 'before' } },
          { id: 'pause', wait: { for: '3s' } },
          { id: 'after', tool: 'tool.read', with: { place: 'after' } },
          { id: 'result', output: { done: true } },
        ],
      });
      const begun = Date.now();
      const runs = await scene.startRuns(agent, 20);
      expect(await scene.settled(runs)).toEqual({ succeeded: 20 });

      for (const run of runs) {
        const [before] = scene.ledger.callsOf('/before', run);
        const calls = scene.ledger.callsOf('/after', run);
        expect(calls).toHaveLength(1);
        expect((calls[0]?.at ?? 0) - (before?.at ?? Infinity)).toBeGreaterThanOrEqual(2_900);
        const answer = await scene.stack.client.expect<{ created_at: string }>('GET', `/v1/runs/${run}`);
        expect(Math.abs(Date.parse(answer.created_at) - begun)).toBeLessThan(MINUTES);
      }
      expect(scene.stack.workers.map((worker) => worker.hasEnded)).toEqual([false, false]);
      const page = await scene.stack.client.expect<{ data: { id: string }[]; next_cursor: string | null }>(
        'GET',
        '/v1/runs?limit=15',
      );
      expect(page.data).toHaveLength(15);
      const next = await scene.stack.client.expect<{ data: { id: string }[] }>(
        'GET',
        `/v1/runs?limit=15&cursor=${encodeURIComponent(page.next_cursor ?? '')}`,
      );
      expect(new Set([...page.data, ...next.data].map(({ id }) => id))).toEqual(new Set(runs));
    }));
});
