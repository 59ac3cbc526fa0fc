import { setTimeout as lasting } from 'node:timers/promises';

import { FaultScene } from '../fault-scene.js';
import { Load } from '../load.js';

const BREAKS = 8;
const EVERY_MS = 500;

describe('connections to the database that are all terminated every half second', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ workers: 2 });
  });
  afterAll(() => scene.stop());

  it('lose no run, start none twice and repeat no write', () =>
    scene.scenario(async () => {
      const agent = await scene.agent('broken', ['write', '/first'], ['idempotent', '/second']);
      const load = Load.begin(scene.stack, { agents: [agent], clients: 3, retries: 20, pauseMs: 30 });
      for (let broken = 0; broken < BREAKS; broken += 1) {
        await lasting(EVERY_MS);
        await scene.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name <> 'test'`,
        );
      }
      await load.end();

      expect(load.failed).toBe(0);
      expect(await scene.settled(load.accepted)).toEqual({ succeeded: load.accepted.length });
      expect(new Set(load.accepted).size).toBe(load.accepted.length);
      expect(await scene.query('select from runs')).toHaveLength(load.accepted.length);
      const writes = scene.callsPerRun('/first');
      expect(writes.size).toBe(load.accepted.length);
      expect([...writes.values()].every((calls) => calls.length === 1)).toBe(true);
    }));
});
