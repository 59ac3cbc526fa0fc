import { readFile } from 'node:fs/promises';
import { setTimeout as lasting } from 'node:timers/promises';

import type { Program } from '../../support/program.js';
import { FaultScene } from '../fault-scene.js';
import { WorkerSupervisor } from '../worker-supervisor.js';
import { Load } from '../load.js';
import { Randomness } from '../randomness.js';

const MINUTES = Number(process.env.FAULT_SOAK_MINUTES ?? 60);
const WORKERS = 3;
/** Maximum growth of the memory of the API after the warm-up, in bytes per minute. A larger growth counts as a leak. */
const GROWTH_PER_MINUTE = 1024 * 1024;
const WARM_UP_MINUTES = 5;

interface Sample {
  minute: number;
  bytes: number;
}

async function memoryOf(program: Program): Promise<number> {
  const status = await readFile(`/proc/${program.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

/** Returns the growth of memory in bytes per minute. It is the slope of a least-squares fit. */
function slope(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const [x, y] = [mean(({ minute }) => minute), mean(({ bytes }) => bytes)];
  const over = samples.reduce((sum, { minute, bytes }) => sum + (minute - x) * (bytes - y), 0);
  return over / samples.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
}

describe(`${MINUTES} minutes of random faults under load`, () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ workers: WORKERS, postgres: 'own' });
  });
  afterAll(() => scene.stop());

  const faults: Record<string, (random: Randomness) => Promise<void>> = {
    'kill a worker': async (random) => {
      await random.pick(scene.stack.workers).kill();
    },
    'freeze a worker': async (random) => {
      const victim = random.pick(scene.stack.workers);
      victim.signal('SIGSTOP');
      await lasting(random.between(100, 7_000));
      victim.signal('SIGCONT');
    },
    'terminate all sessions': async () => {
      await scene.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name <> 'test'`,
      );
    },
    'reset all connections': async () => scene.network.reset(),
    'slow network': async (random) => {
      scene.network.delay(random.between(5, 120));
      await lasting(3_000);
      scene.network.delay(0);
    },
    blackhole: async (random) => {
      scene.network.blackhole();
      await lasting(random.between(100, 6_000));
      scene.network.heal(random.pick(['resume', 'lost']));
    },
    'kill Postgres': async () => {
      await scene.postgres.kill();
      await scene.postgres.restart();
    },
  };

  it(
    'lose no run, repeat no write, and leave memory and tables as they should be',
    () =>
      scene.scenario(async () => {
        const random = Randomness.forThisRun();
        const supervisor = WorkerSupervisor.start(scene);
        const agents = [
          await scene.agent('writes', ['write', '/write'], ['read', '/read']),
          await scene.agent('repeats', ['idempotent', '/again'], ['read', '/read']),
        ];
        for (const path of ['/write', '/again', '/read']) scene.ledger.always(path, { delayMillis: 40 });
        const load = Load.begin(scene.stack, { agents, clients: 4, retries: 1_000, pauseMs: 100 });
        const begun = performance.now();
        const samples: Sample[] = [];
        for (;;) {
          const minute = (performance.now() - begun) / 60_000;
          if (minute >= MINUTES) break;
          const [name, fault] = random.pick(Object.entries(faults));
          await fault(random).catch((error: unknown) => console.warn(`"${name}" could not be done: ${String(error)}`));
          await lasting(random.between(500, 5_000));
          samples.push({ minute, bytes: await memoryOf(scene.stack.api) });
        }
        await load.end();
        await scene.settled(load.accepted, { within: 120_000 });
        await supervisor.stop();

        expect(new Set(load.accepted).size).toBe(load.accepted.length);
        for (const [run, calls] of scene.callsPerRun('/write')) expect([run, calls.length]).toEqual([run, 1]);
        const inDoubt = await scene.query(`select from approvals where status = 'open' and kind = 'in_doubt'`);
        const { succeeded = 0, waiting_approval: waiting = 0, ...others } = await scene.statuses(load.accepted);
        expect(others).toEqual({});
        expect([succeeded + waiting, waiting]).toEqual([load.accepted.length, inDoubt.length]);
        console.warn(
          `${load.accepted.length} runs, ${supervisor.replaced} workers replaced, ${waiting} questions to people`,
        );
        const warm = samples.filter(({ minute }) => minute > WARM_UP_MINUTES);
        if (MINUTES > 2 * WARM_UP_MINUTES) expect(slope(warm)).toBeLessThan(GROWTH_PER_MINUTE);
      }),
    MINUTES * 60_000 + 300_000,
  );
});
