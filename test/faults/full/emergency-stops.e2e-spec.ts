import { setTimeout as lasting } from 'node:timers/promises';

import type { JsonObject } from '@app/kernel';
import { ApiClient } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import type { LedgerCall } from '../../support/ledger.js';
import { aToolAgent } from '../../support/tool-agents.js';
import { FaultScene, LEASE_MS, PATIENT, RECOVERY } from '../fault-scene.js';
import { printDurations, startRun } from '../load.js';
import { Randomness } from '../randomness.js';

interface Stopped {
  epoch: number;
  in_flight: { run: string }[];
}

const CYCLES = 100;
const LOAD = 40;
/**
 * Maximum delay in milliseconds with which the tool server notices an aborted connection, after the response of the
 * stop. The tool server and the caller of the stop share a process.
 */
const READING_DELAY_MS = 150;
const QUEUED = 1_000;
const SLOTS = 8;
const API_CONNECTIONS = 5;
/** One megabyte of JSON, below the default of `MAX_RECORDED_BYTES`. */
const SHORT_STRINGS = Array.from({ length: 250_000 }, () => 'a');
const LARGE_RUNS = 12;
const LARGE_CYCLES = 3;
const PASSES = 3;
/** Twelve large values at once keep a busy machine from renewing a lease of the default length. */
const UNHURRIED = { WORKER_LEASE_MS: '60000' };

/**
 * Returns the calls that arrived at the tool after the response of the stop, except those that the response lists as in
 * flight.
 */
function unlisted(calls: readonly LedgerCall[], answeredAt: number, { in_flight }: Stopped): LedgerCall[] {
  const listed = new Set(in_flight.map(({ run }) => run));
  return calls.filter(
    (call) =>
      call.at > answeredAt &&
      !listed.has(call.run) &&
      (call.state !== 'aborted' || call.at > answeredAt + READING_DELAY_MS),
  );
}

const stop = (client: ApiClient, drainMillis = 5_000) =>
  client.expect<Stopped>('POST', '/v1/workspace/emergency-stop', { drain_timeout_ms: drainMillis });
const resume = (client: ApiClient) => client.expect('POST', '/v1/workspace/resume', {});

describe('emergency stops', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ env: { WORKER_CONCURRENCY: String(SLOTS) } });
  });
  afterEach(async () => {
    await resume(scene.stack.client);
    await scene.reset();
  });
  afterAll(() => scene.stop());

  it(`let no call begin after their response: ${CYCLES} stops at two APIs in turn, with three workers under load`, () =>
    scene.scenario(async () => {
      const firstUrl = scene.stack.baseUrl;
      await scene.stack.startApi();
      const apis = [new ApiClient(() => firstUrl, scene.stack.adminKey), scene.stack.client];
      await Promise.all([1, 2, 3].map(() => scene.stack.addWorker(PATIENT)));
      const agent = await scene.agent('hammers', ['read', '/a'], ['idempotent', '/b'], ['read', '/c']);
      for (const path of ['/a', '/b', '/c']) scene.ledger.always(path, { delayMillis: 10 });
      const random = Randomness.forThisRun();
      const runs: string[] = [];
      const late: LedgerCall[] = [];
      const latencies: number[] = [];
      for (let cycle = 0; cycle < CYCLES; cycle += 1) {
        const [one = scene.stack.client, other = one] = cycle % 2 === 0 ? apis : [...apis].reverse();
        const open = await scene.query(`select from runs where ended_at is null`);
        runs.push(...(await scene.startRuns(agent, Math.max(0, LOAD - open.length))));
        const before = scene.ledger.calls.length + random.between(0, 30);
        await eventually(() => expect(scene.ledger.calls.length).toBeGreaterThanOrEqual(before), {
          within: 2_000,
        }).catch(
          // All runs have ended, so this stop applies to an idle workspace.
          () => undefined,
        );
        const asked = performance.now();
        const stopped = await stop(one);
        const answeredAt = Date.now();
        latencies.push(performance.now() - asked);
        expect(await other.call('POST', `/v1/agents/${agent}/runs`, {})).toMatchObject({ status: 409 });
        await lasting(random.between(0, 300));
        late.push(...unlisted(scene.ledger.calls, answeredAt, stopped));
        await resume(other);
      }
      expect(late).toEqual([]);
      expect(await scene.settled(runs, RECOVERY)).toEqual({ succeeded: runs.length });
      const keys = new Set(scene.ledger.callsOf('/b').map((call) => call.idempotencyKey));
      expect(keys).toEqual(new Set(runs.map((run) => `${run}/call2`)));
      printDurations('emergency stop', latencies);
    }));

  it('succeed when no connection is free, a worker is frozen in a call and a thousand runs are queued', () =>
    scene.scenario(async () => {
      const agent = await scene.agent('stuck', ['read', '/stuck']);
      scene.ledger.always('/stuck', { hang: true });
      const runs: string[] = [];
      while (runs.length < QUEUED) runs.push(...(await scene.startRuns(agent, 50)));
      const frozen = await scene.stack.addWorker();
      await scene.ledger.called('/stuck', SLOTS);
      const ofFrozen = scene.ledger.callsOf('/stuck').map(({ run }) => run);
      await scene.stack.addWorker();
      await scene.ledger.called('/stuck', 2 * SLOTS);
      frozen.expectExit('exit 9');
      frozen.signal('SIGSTOP');

      // Each request that starts a run with an idempotency key waits for this lock. While it waits, the request
      // occupies a database connection of the API.
      const { waiting, stopped, answeredAt } = await scene.locked('idempotency_keys', async () => {
        const starts = Array.from({ length: 30 }, (_, index) => startRun(scene.stack, agent, `blocked-${index}`));
        await eventually(async () => {
          const blocked = await scene.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          expect(blocked).toHaveLength(API_CONNECTIONS);
        });
        // The stop responds while the lock is held, because it needs none of the occupied database connections.
        const answer = await stop(scene.stack.client, 500);
        return { waiting: starts, stopped: answer, answeredAt: Date.now() };
      });
      for (const { status } of await Promise.all(waiting)) expect([409, 503]).toContain(status);
      expect(stopped.in_flight.map(({ run }) => run)).toEqual(expect.arrayContaining(ofFrozen));

      scene.ledger.always('/stuck', {});
      scene.ledger.release('/stuck');
      await lasting(2 * LEASE_MS);
      frozen.signal('SIGCONT');
      await eventually(() => expect(frozen.exit).toBe('exit 9'), RECOVERY);
      await lasting(1_000);
      expect(unlisted(scene.ledger.calls, answeredAt, stopped)).toEqual([]);
      await resume(scene.stack.client);
      expect(await scene.settled(runs, { within: 60_000 })).toEqual({ succeeded: QUEUED });
    }));

  // With a quadratic cost of these values, a worker held the stop lock for longer than the time limit of the stop.
  it(`and cancellations answer 200 while ${LARGE_RUNS} runs record answers of 250,000 short strings`, () =>
    scene.scenario(async () => {
      await Promise.all([1, 2].map(() => scene.stack.addWorker(UNHURRIED)));
      scene.ledger.always('/large', { body: SHORT_STRINGS });
      const steps = Array.from({ length: PASSES }, (_, pass): JsonObject[] => [
        { id: `read${pass}`, tool: 'tool.read', with: { place: 'large' } },
        {
          id: `pass${pass}`,
          tool: 'tool.idempotent',
          with: { place: 'pass', items: `\${{ steps.read${pass}.output }}` },
        },
      ]).flat();
      const plan = { ...aToolAgent('large', scene.ledger.url, []), steps };
      const agent = await scene.stack.client.createAgent(plan);
      const latencies: number[] = [];
      for (let cycle = 0; cycle < LARGE_CYCLES; cycle += 1) {
        const before = scene.ledger.callsOf('/pass').length;
        const runs = await scene.startRuns(agent, LARGE_RUNS);
        const [victim = '', ...others] = runs;
        await scene.ledger.called('/pass', before + 1);
        const asked = performance.now();
        const [cancelled, stopped] = await Promise.all([scene.stack.client.cancel(victim), stop(scene.stack.client)]);
        const answeredAt = Date.now();
        latencies.push(performance.now() - asked);
        expect(['cancelled', 'succeeded']).toContain(cancelled.status);
        await lasting(500);
        expect(unlisted(scene.ledger.calls, answeredAt, stopped)).toEqual([]);
        await resume(scene.stack.client);
        expect(await scene.settled(others, { within: 300_000 })).toEqual({ succeeded: LARGE_RUNS - 1 });
      }
      const sizes = scene.ledger.callsOf('/pass').map(({ body }) => Buffer.byteLength(body));
      expect(Math.min(...sizes)).toBeGreaterThan(1_000_000);
      printDurations('emergency stop with large values', latencies);
    }));
});
