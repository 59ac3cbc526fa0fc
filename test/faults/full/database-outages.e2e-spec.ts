import { setTimeout as lasting } from 'node:timers/promises';

import { eventually } from '../../support/eventually.js';
import { FaultScene, PATIENT } from '../fault-scene.js';
import { WorkerSupervisor } from '../worker-supervisor.js';
import { Load, printDurations } from '../load.js';

/**
 * Expects that each accepted run was executed, and that no call was lost or repeated. This must hold after every
 * scenario in this file.
 */
async function everythingIsDone(scene: FaultScene, load: Load): Promise<void> {
  expect(await scene.settled(load.accepted, { within: 40_000 })).toEqual({ succeeded: load.accepted.length });
  expect(new Set(load.accepted).size).toBe(load.accepted.length);
  const writes = scene.callsPerRun('/write');
  for (const run of load.accepted) expect([run, writes.get(run)?.length]).toEqual([run, 1]);
}

const refusals = (load: Load) => load.answers.filter(({ status }) => status !== 202);

describe('PostgreSQL that is killed (kill -9) under load', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ workers: 2, postgres: 'own', env: PATIENT });
  });
  afterAll(() => scene.stop());

  it('loses no accepted run; the API responds 503 during the outage and works again afterwards', () =>
    scene.scenario(async () => {
      const agent = await scene.agent('outage', ['write', '/write']);
      scene.ledger.always('/write', { delayMillis: 200 });
      const load = Load.begin(scene.stack, { agents: [agent], clients: 4, retries: 200, pauseMs: 20 });
      await eventually(() => expect(load.accepted.length).toBeGreaterThan(40));
      await scene.postgres.kill();
      // During the outage, the requests of all four clients are rejected. After the outage, no request is.
      await eventually(() => expect(refusals(load).length).toBeGreaterThanOrEqual(4));
      await scene.postgres.restart();
      const back = performance.now();
      const known = load.accepted.length;
      await eventually(() => expect(load.accepted.length).toBeGreaterThan(known + 20));
      await scene.settled(load.accepted.slice(-1));
      printDurations('first runs after the return of Postgres', [performance.now() - back]);
      await load.end();

      for (const { status, retryAfter } of refusals(load))
        expect([status, Number(retryAfter) > 0]).toEqual([503, true]);
      printDurations(
        'answer of 503',
        refusals(load).map(({ millis }) => millis),
      );
      await everythingIsDone(scene, load);
      expect(scene.stack.workers.map((worker) => worker.hasEnded)).toEqual([false, false]);
    }));
});

describe('a faulty network to the database', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start();
  });
  afterEach(() => scene.reset());
  afterAll(() => scene.stop());

  it('repeats no write when all connections are reset ten times a second', () =>
    scene.scenario(async () => {
      // These workers have a long lease, because the connection resets also interrupt heartbeats.
      await Promise.all([scene.stack.addWorker(PATIENT), scene.stack.addWorker(PATIENT)]);
      const agent = await scene.agent('reset', ['write', '/write'], ['read', '/read']);
      const load = Load.begin(scene.stack, { agents: [agent], clients: 3, retries: 100, pauseMs: 50 });
      for (let breaks = 0; breaks < 100; breaks += 1) {
        await lasting(100);
        scene.network.reset();
      }
      await load.end();
      await everythingIsDone(scene, load);
    }));

  it('repeats no write and loses no lease when it becomes slow', () =>
    scene.scenario(async () => {
      await Promise.all([scene.stack.addWorker(PATIENT), scene.stack.addWorker(PATIENT)]);
      const agent = await scene.agent('slow', ['write', '/write'], ['read', '/read']);
      scene.network.delay(150);
      const load = Load.begin(scene.stack, { agents: [agent], clients: 4, retries: 3 });
      await lasting(8_000);
      scene.network.delay(0);
      await load.end();
      await everythingIsDone(scene, load);
      expect(scene.stack.workers.some((worker) => worker.hasEnded)).toBe(false);
    }));

  it.each(['resume', 'lost'] as const)(
    'that swallows everything for ten seconds, after which old connections are: %s, leaves no request without an answer',
    (oldConnections) =>
      scene.scenario(async () => {
        await Promise.all([scene.stack.addWorker(), scene.stack.addWorker()]);
        const supervisor = WorkerSupervisor.start(scene);
        const agent = await scene.agent(`black-${oldConnections}`, ['idempotent', '/write-again'], ['read', '/read']);
        const load = Load.begin(scene.stack, { agents: [agent], clients: 4, retries: 200, pauseMs: 20 });
        await eventually(() => expect(load.accepted.length).toBeGreaterThan(20));
        scene.network.blackhole();
        await lasting(10_000);
        scene.network.heal(oldConnections);
        const known = load.accepted.length;
        await eventually(() => expect(load.accepted.length).toBeGreaterThan(known + 20));
        await eventually(async () => expect((await fetch(`${scene.stack.baseUrl}/readyz`)).status).toBe(200));
        await load.end();
        expect(await scene.settled(load.accepted, { within: 40_000 })).toEqual({ succeeded: load.accepted.length });
        await supervisor.stop();

        expect(load.answers.filter(({ status }) => status === 0)).toEqual([]);
        printDurations(
          'answer around a network outage',
          load.answers.map(({ millis }) => millis),
        );
        // The API must not reuse a connection from before the outage, so every client is accepted at its first attempt.
        const again = Load.begin(scene.stack, { agents: [agent], clients: 10, retries: 0 });
        await eventually(() => expect(again.accepted.length).toBeGreaterThan(50));
        await again.end();
        expect(again.failed).toBe(0);
        await scene.settled(again.accepted);
      }),
  );
});
