import { setTimeout as lasting } from 'node:timers/promises';

import { Redis } from 'ioredis';

import { eventually } from '../../support/eventually.js';
import { canRunRedis, FaultScene } from '../fault-scene.js';
import { Load, printDurations } from '../load.js';

async function redis(scene: FaultScene, ...command: [string, ...string[]]): Promise<void> {
  const client = new Redis(scene.redis.url);
  await client.call(...command);
  client.disconnect();
}

async function printWaits(scene: FaultScene, load: Load): Promise<void> {
  const waits = await scene.query<{ millis: number }>(
    'select extract(epoch from claimed_at - created_at)::float * 1000 as millis from runs where id = any($1)',
    [load.accepted],
  );
  printDurations(
    'start of a run without Redis',
    load.answers.map(({ millis }) => millis),
  );
  printDurations(
    'wait for a worker without Redis',
    waits.map(({ millis }) => millis),
  );
}

(canRunRedis() ? describe : describe.skip)('a Redis', () => {
  let scene: FaultScene;
  let agent: string;

  beforeAll(async () => {
    scene = await FaultScene.start({ redis: 'own', env: { WORKER_CONCURRENCY: '10' } });
    agent = await scene.agent('writes', ['write', '/write']);
  });
  afterEach(() => scene.reset());
  afterAll(() => scene.stop());

  /**
   * Starts runs while `fault` is in progress. Each run must be accepted at the first attempt and executed exactly once.
   */
  const isNotNeeded = async (fault: () => Promise<void>): Promise<void> => {
    const load = Load.begin(scene.stack, { agents: [agent], clients: 2, retries: 0, pauseMs: 50 });
    await fault();
    await load.end();
    expect(load.failed).toBe(0);
    expect(await scene.settled(load.accepted)).toEqual({ succeeded: load.accepted.length });
    await printWaits(scene, load);
    for (const run of load.accepted) expect(scene.ledger.callsOf('/write', run)).toHaveLength(1);
  };

  const isReady = (status: number) =>
    eventually(async () => expect((await fetch(`${scene.stack.baseUrl}/readyz`)).status).toBe(status), {
      within: 15_000,
    });

  it('is not needed while it is down, and is used again after it restarts empty', () =>
    scene.scenario(async () => {
      await Promise.all([scene.stack.addWorker(), scene.stack.addWorker()]);
      await isNotNeeded(async () => {
        await lasting(500);
        await scene.redis.signal('SIGKILL');
        await lasting(8_000);
        await scene.redis.run();
        await lasting(2_000);
      });
      await isReady(200);
    }));

  it('loses none of 200 queued and 10 running runs when it loses all data (FLUSHALL)', () =>
    scene.scenario(async () => {
      scene.ledger.always('/write', { hang: true });
      await scene.stack.addWorker();
      const runs = [...(await scene.startRuns(agent, 10)), ...(await scene.startRuns(agent, 200))];
      await scene.ledger.called('/write', 10);
      await redis(scene, 'FLUSHALL');
      scene.ledger.always('/write', {});
      scene.ledger.release('/write');
      expect(await scene.settled(runs)).toEqual({ succeeded: 210 });
      for (const run of runs) expect(scene.ledger.callsOf('/write', run)).toHaveLength(1);
      // The job of this run reaches a worker sooner than a worker would find the run by polling.
      const [late = ''] = await scene.startRuns(agent, 1);
      expect(await scene.settled([late])).toEqual({ succeeded: 1 });
    }));

  it('delays no run while it is frozen for ten seconds', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      await isNotNeeded(async () => {
        await scene.redis.signal('SIGSTOP');
        await lasting(10_000);
        await scene.redis.signal('SIGCONT');
        await lasting(1_000);
      });
      await isReady(200);
    }));

  it('delays no run while its network drops everything for ten seconds', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      await isNotNeeded(async () => {
        scene.redisNetwork.blackhole();
        await lasting(10_000);
        scene.redisNetwork.heal('lost');
        await lasting(1_000);
      });
      await isReady(200);
    }));

  it('delays no run while it is full', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      await isNotNeeded(async () => {
        await redis(scene, 'CONFIG', 'SET', 'maxmemory', '1');
        await lasting(3_000);
        await redis(scene, 'CONFIG', 'SET', 'maxmemory', '0');
      });
    }));

  it('makes the service unready if its eviction policy would drop jobs', () =>
    scene.scenario(async () => {
      await scene.stack.addWorker();
      await isReady(200);
      await redis(scene, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      await isReady(503);
      await redis(scene, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      await isReady(200);
    }));
});

describe('a Redis that is configured but never reachable', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ redis: 'absent', workers: 2 });
  });
  afterAll(() => scene.stop());

  it('only delays runs: each is accepted at the first attempt and executed', () =>
    scene.scenario(async () => {
      const agent = await scene.agent('unrung', ['write', '/write'], ['read', '/read']);
      const load = Load.begin(scene.stack, { agents: [agent], clients: 2, retries: 0, pauseMs: 50 });
      await lasting(5_000);
      await load.end();
      expect(load.failed).toBe(0);
      expect(await scene.settled(load.accepted)).toEqual({ succeeded: load.accepted.length });
      await printWaits(scene, load);
      for (const run of load.accepted) expect(scene.ledger.callsOf('/write', run)).toHaveLength(1);
      const [queued = ''] = await scene.startRuns(agent, 1);
      await scene.stack.client.call('POST', `/v1/runs/${queued}/cancel`, {});
      await scene.settled([queued]);
    }));
});
