import { setTimeout as lasting } from 'node:timers/promises';

import { FaultScene, PATIENT } from '../fault-scene.js';
import { Load, printDurations } from '../load.js';

const SLOTS = 4;
const CALL_MS = 200;
/** Number of runs per second that two workers can execute together. */
const CAPACITY = (2 * SLOTS * 1_000) / CALL_MS;
const CLIENTS = 12;
const LASTING_MS = 12_000;

describe('three times more runs than the workers can execute', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ workers: 2, env: { ...PATIENT, WORKER_CONCURRENCY: String(SLOTS) } });
  });
  afterAll(() => scene.stop());

  it('are accepted, or rejected with Retry-After; every accepted run is executed', () =>
    scene.scenario(async () => {
      const agent = await scene.agent('overloaded', ['write', '/write']);
      scene.ledger.always('/write', { delayMillis: CALL_MS });
      const load = Load.begin(scene.stack, {
        agents: [agent],
        clients: CLIENTS,
        retries: 0,
        pauseMs: (1_000 * CLIENTS) / (3 * CAPACITY),
      });
      const readings: number[] = [];
      const until = performance.now() + LASTING_MS;
      while (performance.now() < until) {
        const run = load.accepted.at(-1);
        if (run !== undefined) {
          const asked = performance.now();
          await scene.stack.client.run(run);
          readings.push(performance.now() - asked);
        }
        await lasting(50);
      }
      await load.end();
      const open = (await scene.query('select from runs where ended_at is null')).length;

      for (const { status, retryAfter } of load.answers) {
        if (status !== 202) expect([[429, 503].includes(status), Number(retryAfter) > 0]).toEqual([true, true]);
      }
      // More runs are open than the workers can execute at the same time.
      expect(open).toBeGreaterThan(2 * SLOTS);
      printDurations('reading a run under overload', readings);
      expect(await scene.settled(load.accepted, { within: 120_000 })).toEqual({ succeeded: load.accepted.length });
      const calls = scene.callsPerRun('/write');
      expect(calls.size).toBe(load.accepted.length);
      expect([...calls.values()].every((each) => each.length === 1)).toBe(true);
    }));
});
