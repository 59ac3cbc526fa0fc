import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { aGroup } from '../support/people.js';
import { Scene } from '../support/scene.js';
import type { SharedStack } from '../support/shared-stack.js';
import type { Stack } from '../support/stack.js';
import { testedQueues } from '../support/tested-queues.js';
import { aToolAgent } from '../support/tool-agents.js';

type KillableStack = SharedStack | Stack;

for (const queue of await testedQueues()) {
  if (queue.missing !== undefined) console.warn(queue.missing);
  (queue.missing === undefined ? describe : describe.skip)(`after kill -9, ${queue.title}`, () => {
    let scene: Scene<KillableStack>;

    beforeAll(async () => {
      const { redisUrl } = queue;
      scene = await (redisUrl === undefined ? Scene.start() : Scene.alone({ why: 'needs Redis', redisUrl }));
      await aGroup(scene.stack, 'deciders', ['admin@example.com']);
    });
    afterEach(() => scene.ledger.reset());
    afterAll(() => scene.stop());

    /** Like `it`, for the first queue only. A queue only wakes up workers, so most rules need no other queue. */
    const itOnce: (title: string, test: () => Promise<void>) => void =
      queue.redisUrl === undefined ? it : () => undefined;
    /** Asks the database, because questions to the API for many runs at once would take most of the processor time. */
    const succeeded = (...ids: string[]) =>
      eventually(async () => {
        const runs = await scene.stack.query<{ status: string }>('select status from runs where id = any ($1)', [ids]);
        expect(runs.map(({ status }) => status)).toEqual(ids.map(() => 'succeeded'));
      });

    itOnce(
      'of the worker, another worker finishes its runs: recorded steps and writes in doubt are not repeated',
      async () => {
        const { client } = scene.stack;
        const agent = await client.createAgent(
          aToolAgent('recovers', scene.ledger.url, [
            ['write', '/first'],
            ['idempotent', '/second'],
            ['write', '/third'],
          ]),
        );
        const payer = await client.createAgent(aToolAgent('in-doubt', scene.ledger.url, [['write', '/pay']]));
        scene.ledger.script('/second', { hang: true });
        scene.ledger.script('/pay', { hang: true });
        const doomed = (await scene.haveWorkers())[0]!;
        const [{ id }, { id: paid }] = [await client.startRun(agent), await client.startRun(payer)];
        await scene.ledger.called('/second');
        await scene.ledger.called('/pay');
        await doomed.kill();
        await scene.haveWorkers();
        await succeeded(id);

        expect(scene.ledger.callsOf('/first')).toHaveLength(1);
        expect(scene.ledger.callsOf('/third')).toHaveLength(1);
        // The outcome of the call was unknown. A worker may send the call again, because the tool recognises the
        // idempotency key.
        const keys = scene.ledger.callsOf('/second').map((call) => call.idempotencyKey);
        expect(keys).toEqual([`${id}/call2`, `${id}/call2`]);
        const { steps } = await client.trace(id);
        expect(steps.map(({ path, try: attempt, status }) => [path, attempt, status])).toEqual([
          [undefined, undefined, 'succeeded'],
          ['call1', 1, 'succeeded'],
          ['call2', 1, 'cancelled'],
          ['call2#retry', undefined, 'succeeded'],
          ['call2', 2, 'succeeded'],
          ['call3', 1, 'succeeded'],
          ['result', undefined, 'succeeded'],
        ]);

        // A person decides about the write, because it must not be repeated.
        const asksAPerson = async () =>
          expect(await client.run(paid)).toMatchObject({ status: 'waiting_approval', error: null });
        await eventually(asksAPerson);
        const { steps: doubtful } = await client.trace(paid);
        expect(doubtful.slice(0, 2)).toMatchObject([{ type: 'trigger' }, { path: 'call1', status: 'in_doubt' }]);
        // A later run succeeds, so the worker has had the opportunity to repeat the call in doubt.
        await succeeded((await client.startRun(payer)).id);
        expect(scene.ledger.callsOf('/pay', paid)).toHaveLength(1);
        await asksAPerson();
      },
    );

    itOnce('of the API during a write, the worker finishes the run, and the write happens once', async () => {
      const { client } = scene.stack;
      const agent = await client.createAgent(aToolAgent('undisturbed', scene.ledger.url, [['write', '/pay']]));
      scene.ledger.script('/pay', { hang: true });
      await scene.haveWorkers();
      const { id } = await client.startRun(agent);
      await scene.ledger.called('/pay');
      await scene.stack.api.kill();
      scene.ledger.release('/pay');
      await succeeded(id);
      await scene.stack.startApi();
      expect(scene.ledger.callsOf('/pay')).toHaveLength(1);
      const { steps } = await client.trace(id);
      expect(steps.filter(({ path }) => path === 'call1')).toMatchObject([{ try: 1, status: 'succeeded' }]);
    });

    it('of all processes, every run, callback and answer that was accepted is carried out, once', async () => {
      const { client } = scene.stack;
      const agent = await client.createAgent(aToolAgent('everything', scene.ledger.url, [['idempotent', '/call']]));
      const worker = (await scene.haveWorkers())[0]!;
      const ask = { to: ['deciders'], title: 'Continue?', form: { type: 'object', properties: {} } };
      const pauses: JsonObject = { callback: { wait: { callback: {} } }, answer: { ask } };
      const waiting = await Promise.all(
        Object.entries(pauses).map(async ([name, pause]) => {
          const definition = aToolAgent(`waits-${name}`, scene.ledger.url, [['write', '/after']]);
          const steps = [{ id: 'pause', ...(pause as JsonObject) }, ...(definition.steps as JsonObject[])];
          const { id } = await client.startRun(await client.createAgent({ ...definition, steps }));
          return eventually(async () => {
            const run = await client.expect<WaitingRun>('GET', `/v1/runs/${id}`);
            expect(run.callback_url ?? run.approvals[0]?.status).toBeDefined();
            return run;
          });
        }),
      );
      const accepted = await startUntilKilled(scene.stack, agent, async () => {
        await worker.kill();
        for (const run of waiting) await accept(scene.stack, run);
        await scene.stack.api.kill();
      });
      await scene.stack.startApi();
      await scene.haveWorkers();
      await succeeded(...accepted, ...waiting.map(({ id }) => id));
      for (const { id } of waiting) {
        expect(scene.ledger.callsOf('/after', id)).toHaveLength(1);
        const { steps } = await client.trace(id);
        expect(steps.filter(({ path }) => path === 'call1')).toHaveLength(1);
      }
      for (const id of accepted) {
        const keys = scene.ledger.callsOf('/call', id).map((call) => call.idempotencyKey);
        expect(new Set(keys)).toEqual(new Set([`${id}/call1`]));
        expect(await eventsOf(scene.stack, id)).toEqual(['run.completed']);
      }
    });
  });
}

interface WaitingRun {
  id: string;
  callback_url?: string;
  approvals: { id: string; status: string }[];
}

/** Sends the callback or the answer for which the run waits. */
async function accept(
  { client, baseUrl }: KillableStack,
  { id, callback_url: url, approvals }: WaitingRun,
): Promise<void> {
  if (url === undefined) {
    const answer = { decision: 'answer', answer: {} };
    await client.expect('POST', `/v1/runs/${id}/approvals/${approvals[0]?.id}`, answer);
    return;
  }
  const headers = { 'content-type': 'application/json' };
  const path = url.slice(url.indexOf('/v1/callbacks/'));
  expect((await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: '{}' })).status).toBe(202);
}

const BEFORE_THE_KILL = 15;
const CLIENTS = 5;

/** Starts runs until a request fails. Calls `kill` after some runs. Returns the ids of the accepted runs. */
async function startUntilKilled(stack: KillableStack, agent: string, kill: () => Promise<unknown>): Promise<string[]> {
  const accepted: string[] = [];
  let killed: Promise<unknown> | undefined;
  const startRuns = async (): Promise<void> => {
    try {
      for (;;) {
        const { id } = await stack.client.startRun(agent);
        accepted.push(id);
        if (accepted.length >= BEFORE_THE_KILL) killed ??= kill();
      }
    } catch (error) {
      if (killed === undefined) throw error;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, startRuns));
  await killed;
  return accepted;
}

async function eventsOf(stack: KillableStack, runId: string): Promise<string[]> {
  const events = await stack.query<{ type: string }>('select type from events where run_id = $1', [runId]);
  return events.map(({ type }) => type);
}
