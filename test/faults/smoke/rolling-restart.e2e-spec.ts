import { FaultScene, PATIENT } from '../fault-scene.js';
import { Load } from '../load.js';

describe('a rolling restart (SIGTERM) of every api and worker under load', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ workers: 2, env: { ...PATIENT, WORKER_CONCURRENCY: '8' } });
  });
  afterAll(() => scene.stop());

  it('fails no request of a client that retries once, loses no run and leaves no call in doubt', () =>
    scene.scenario(async () => {
      const agent = await scene.agent('rolls', ['write', '/first'], ['write', '/second']);
      for (const path of ['/first', '/second']) scene.ledger.always(path, { delayMillis: 100 });
      const load = Load.begin(scene.stack, { agents: [agent], clients: 2, retries: 1, pauseMs: 100 });
      for (const old of [...scene.stack.workers]) {
        await scene.stack.addWorker();
        await old.stop();
      }
      const old = scene.stack.api;
      await scene.stack.startApi();
      await old.stop();
      await load.end();

      expect(load.failed).toBe(0);
      expect(load.accepted.length).toBeGreaterThan(50);
      expect(await scene.settled(load.accepted)).toEqual({ succeeded: load.accepted.length });
      for (const path of ['/first', '/second']) {
        const calls = scene.callsPerRun(path);
        expect(calls.size).toBe(load.accepted.length);
        expect([...calls.values()].every((each) => each.length === 1)).toBe(true);
      }
    }));
});
