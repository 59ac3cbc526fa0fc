import { setTimeout as lasting } from 'node:timers/promises';

import { eventually } from '../../support/eventually.js';
import type { Behaviour } from '../../support/ledger.js';
import { type Message, subscribe, verifyMessage } from '../../support/webhooks.js';
import { FaultScene } from '../fault-scene.js';
import { WorkerSupervisor } from '../worker-supervisor.js';
import { groupedBy } from '../grouped-by.js';
import { Load } from '../load.js';
import { Randomness } from '../randomness.js';

/** Number of runs, at most 10 000. Each thousand runs takes about ten seconds. */
const RUNS = Number(process.env.FAULT_WEBHOOK_RUNS ?? 2_500);
const WORKERS = 3;
const KILL_EVERY_MS = [1_500, 3_500] as const;
/** Time limit in milliseconds for the remaining deliveries after the last kill. It covers one lease and the retries. */
const DELIVERED_WITHIN_MS = 60_000 + RUNS * 5;
/**
 * Time in milliseconds after which the receiver responds to a request. It is so long that a kill interrupts requests in
 * progress.
 */
const RECEIVER_TAKES_MS = 10;

const ENV = {
  WEBHOOK_TIMEOUT_MS: '1000',
  // The retry schedule allows so many attempts that no delivery fails permanently while workers are killed.
  WEBHOOK_RETRY_SCHEDULE: ['0ms', ...Array<string>(40).fill('500ms')].join(','),
  MAX_QUEUED_RUNS: '100000',
};

/** Faults of the receiver. Of the first 400 calls, about one in twenty has one of these faults. */
const TROUBLE: readonly Behaviour[] = [{ status: 500 }, { status: 429 }, { drop: true }, { delayMillis: 1_500 }];

describe('webhooks about the ends of thousands of runs', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ workers: WORKERS, env: ENV });
  });
  afterAll(() => scene.stop());

  /** Kills one worker after another until the promise `work` is resolved or rejected. Returns the number of kills. */
  async function killingWhile(random: Randomness, work: Promise<unknown>): Promise<number> {
    let kills = 0;
    const state = { isOver: false };
    const over = work.finally(() => (state.isOver = true));
    for (;;) {
      await Promise.race([lasting(random.between(...KILL_EVERY_MS)), over]);
      if (state.isOver) return kills;
      await random.pick(scene.stack.workers).kill();
      kills += 1;
    }
  }

  async function deliveryStatuses(): Promise<Record<string, number>> {
    const rows = await scene.query<{ status: string; count: number }>(
      'select status, count(*)::integer from webhook_deliveries group by status',
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  it(
    'all arrive, under one webhook-id each and signed, while workers, which also deliver, are killed at random',
    () =>
      scene.scenario(async () => {
        const random = Randomness.forThisRun();
        const { secret } = await subscribe(scene.stack.client, `${scene.ledger.url}/ends`);
        scene.ledger.always('/ends', { delayMillis: RECEIVER_TAKES_MS });
        scene.ledger.script(
          '/ends',
          ...Array.from({ length: 400 }, () =>
            random.between(1, 20) === 1 ? random.pick(TROUBLE) : { delayMillis: RECEIVER_TAKES_MS },
          ),
        );
        const agent = await scene.agent('ending');
        const supervisor = WorkerSupervisor.start(scene);
        const load = Load.begin(scene.stack, { agents: [agent], clients: 6, retries: 10 });
        const isEnough = async () => {
          while (load.accepted.length < RUNS) await lasting(50);
          await load.end();
        };
        const kills = await killingWhile(random, isEnough());
        await scene.settled(load.accepted, { within: DELIVERED_WITHIN_MS });
        await eventually(async () => expect(await deliveryStatuses()).toEqual({ delivered: load.accepted.length }), {
          within: DELIVERED_WITHIN_MS,
        });
        await supervisor.stop();

        expect(load.failed).toBe(0);
        expect(kills).toBeGreaterThan(0);
        const calls = scene.ledger.callsOf('/ends');
        const messages = calls.map((call): Message & { webhookId: unknown } => ({
          ...verifyMessage(call, secret),
          webhookId: call.headers['webhook-id'],
        }));
        const byRun = groupedBy(messages, ({ data }) => data.id as string);
        expect(new Set(byRun.keys())).toEqual(new Set(load.accepted));
        for (const [run, told] of byRun) {
          const [first] = told;
          expect([run, new Set(told.map(({ webhookId }) => webhookId)).size]).toEqual([run, 1]);
          expect(first).toMatchObject({ id: first?.webhookId, type: 'run.completed', data: { status: 'succeeded' } });
        }
        expect(new Set(messages.map(({ webhookId }) => webhookId)).size).toBe(load.accepted.length);
        console.warn(`${load.accepted.length} ends, ${calls.length} requests, ${kills} workers killed`);
      }),
    3 * DELIVERED_WITHIN_MS + RUNS * 40,
  );
});
