import { setTimeout as lasting } from 'node:timers/promises';

import { eventually } from '../../support/eventually.js';
import { deliveriesOf, type DeliveryAnswer, subscribe, verifyMessage } from '../../support/webhooks.js';
import { FaultScene } from '../fault-scene.js';
import { printDurations } from '../load.js';
import { BEHAVIOURS, type HostileName, HostileReceivers } from '../hostile-receivers.js';

const RUNS = 40;
const BETWEEN_RUNS_MS = 50;

const ENV = {
  EGRESS_ALLOW: '127.0.0.1/32',
  WEBHOOK_TIMEOUT_MS: '1000',
  // The first delays of the default retry schedule, a thousand times shorter.
  WEBHOOK_RETRY_SCHEDULE: '0ms,5ms,300ms,1800ms',
};

/** Expected result of the last attempt, by receiver. */
const EXPECTED: Record<HostileName, Partial<DeliveryAnswer>> = {
  hanging: { response_status: null, error: expect.stringMatching(/^timeout: /) },
  // The status line decides. The response that does not end is given up after the time limit.
  trickling: { status: 'delivered', response_status: 200, response_body: '', error: null },
  resetting: { response_status: null, error: expect.stringMatching(/^reset: /) },
  redirecting: { response_status: 301, error: null },
  flooding: { status: 'delivered', response_status: 200, response_body: 'x'.repeat(1_024), error: null },
  gone: { status: 'failed', attempts: 1, response_status: 410 },
  limiting: { status: 'pending', attempts: 1, response_status: 429 },
};

describe('webhooks', () => {
  let scene: FaultScene;
  let receivers: HostileReceivers;

  beforeAll(async () => {
    receivers = await HostileReceivers.start();
    scene = await FaultScene.start({ workers: 2, env: ENV });
  });
  afterAll(async () => {
    await scene.stop();
    await receivers.close();
  });

  it('reach a healthy endpoint while others hang, trickle, reset, redirect, flood, respond 410 or ask for a delay', () =>
    scene.scenario(async () => {
      const { client } = scene.stack;
      const { secret } = await subscribe(client, `${scene.ledger.url}/healthy`);
      const hostile = new Map<HostileName, string>();
      for (const name of Object.keys(BEHAVIOURS) as HostileName[])
        hostile.set(name, (await subscribe(client, receivers.url(name))).id);
      const agent = await scene.agent('ending');
      const runs: string[] = [];
      for (let n = 0; n < RUNS; n++) {
        runs.push(...(await scene.startRuns(agent, 1)));
        await lasting(BETWEEN_RUNS_MS);
      }
      const calls = await scene.ledger.called('/healthy', RUNS);
      // The healthy endpoint has received every message, and deliveries to the hanging endpoint are still pending. The
      // healthy one has therefore not waited for them.
      const hanging = await deliveriesOf(client, hostile.get('hanging') ?? '', '?status=pending');
      expect(hanging.length).toBeGreaterThan(0);
      printDurations(
        'delivery to the healthy endpoint',
        calls.map((call) => call.at - Date.parse(verifyMessage(call, secret).timestamp)),
      );

      for (const [name, endpoint] of hostile) {
        await eventually(
          async () => {
            const tried = (await deliveriesOf(client, endpoint, '?limit=100')).filter(({ attempts }) => attempts > 0);
            expect({ name, tried }).toEqual({
              name,
              tried: expect.arrayContaining([expect.objectContaining(EXPECTED[name])]),
            });
          },
          { within: 15_000 },
        );
      }
      const gone = await client.expect('GET', `/v1/webhook-endpoints/${hostile.get('gone') ?? ''}`);
      expect(gone).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
      const [patient] = await deliveriesOf(client, hostile.get('limiting') ?? '', '?status=pending&order=asc');
      const wait = Date.parse(patient?.next_attempt_at ?? '') - Date.parse(patient?.last_attempt_at ?? '');
      expect(wait).toBeGreaterThan(59_000);
      for (const endpoint of hostile.values()) await client.expect('DELETE', `/v1/webhook-endpoints/${endpoint}`);
    }));
});
