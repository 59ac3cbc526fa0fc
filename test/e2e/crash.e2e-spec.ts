import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { aGroup } from '../support/people.js';
import { type LoneScene, Scene } from '../support/scene.js';
import type { Stack } from '../support/stack.js';
import { testedQueues } from '../support/tested-queues.js';
import { aToolAgent } from '../support/tool-agents.js';

for (const queue of await testedQueues()) {
  if (queue.missing !== undefined) console.warn(queue.missing);
  (queue.missing === undefined ? describe : describe.skip)(`after kill -9, ${queue.title}`, () => {
    let scene: LoneScene;

    beforeAll(async () => {
      scene = await Scene.alone({ why: 'kills the API and workers', redisUrl: queue.redisUrl, workers: 0 });
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

    it('of the worker, another worker finishes the run without executing recorded steps again', async () => {
      const agent = await scene.stack.client.createAgent(
        aToolAgent('recovers', scene.ledger.url, [
          ['write', '/first'],
          ['idempotent', '/second'],
          ['write', '/third'],
        ]),
      );
      scene.ledger.script('/second', { hang: true });
      const doomed = (await scene.haveWorkers())[0]!;
      const { id } = await scene.stack.client.startRun(agent);
      await scene.ledger.called('/second');
      await doomed.kill();
      await scene.haveWorkers();
      await succeeded(id);

      expect(scene.ledger.callsOf('/first')).toHaveLength(1);
      expect(scene.ledger.callsOf('/third')).toHaveLength(1);
      // The outcome of the call was unknown. A worker may send the call again, because the tool recognises the
      // idempotency key.
      const keys = scene.ledger.callsOf('/second').map((call) => call.idempotencyKey);
      expect(keys).toEqual([`${id}/call2`, `${id}/call2`]);
      const { steps } = await scene.stack.client.trace(id);
      expect(steps.map(({ path, try: attempt, status }) => [path, attempt, status])).toEqual([
        [undefined, undefined, 'succeeded'],
        ['call1', 1, 'succeeded'],
        ['call2', 1, 'cancelled'],
        ['call2#retry', undefined, 'succeeded'],
        ['call2', 2, 'succeeded'],
        ['call3', 1, 'succeeded'],
        ['result', undefined, 'succeeded'],
      ]);
    });

    itOnce(
      'of the worker during a write that must not be repeated: no worker repeats it, and a person is asked',
      async () => {
        const agent = await scene.stack.client.createAgent(
          aToolAgent('in-doubt', scene.ledger.url, [['write', '/pay']]),
        );
        scene.ledger.script('/pay', { hang: true });
        const doomed = (await scene.haveWorkers())[0]!;
        const { id } = await scene.stack.client.startRun(agent);
        await scene.ledger.called('/pay');
        await doomed.kill();
        await scene.haveWorkers();

        const asksAPerson = async () =>
          expect(await scene.stack.client.run(id)).toMatchObject({ status: 'waiting_approval', error: null });
        await eventually(asksAPerson);
        const { steps } = await scene.stack.client.trace(id);
        expect(steps.slice(0, 2)).toMatchObject([{ type: 'trigger' }, { path: 'call1', status: 'in_doubt' }]);
        // A later run succeeds, so the worker has had the opportunity to repeat the call in doubt.
        await succeeded((await scene.stack.client.startRun(agent)).id);
        expect(scene.ledger.callsOf('/pay', id)).toHaveLength(1);
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

    itOnce('of all processes after a callback or an answer was accepted, the run continues once', async () => {
      const { client } = scene.stack;
      const doomed = (await scene.haveWorkers())[0]!;
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
      await doomed.kill();
      for (const run of waiting) await accept(scene.stack, run);
      await scene.stack.api.kill();
      await scene.stack.startApi();
      await scene.haveWorkers();
      for (const { id } of waiting) {
        await succeeded(id);
        expect(scene.ledger.callsOf('/after', id)).toHaveLength(1);
        const { steps } = await scene.stack.client.trace(id);
        expect(steps.filter(({ path }) => path === 'call1')).toHaveLength(1);
      }
    });

    it('of all processes at once, every run that was answered 202 exists and is carried out', async () => {
      const agent = await scene.stack.client.createAgent(
        aToolAgent('everything', scene.ledger.url, [['idempotent', '/call']]),
      );
      const worker = (await scene.haveWorkers())[0]!;
      const accepted = await startUntilKilled(scene.stack, agent, () =>
        Promise.all([scene.stack.api.kill(), worker.kill()]),
      );
      await scene.stack.startApi();
      await scene.haveWorkers();
      await succeeded(...accepted);
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
async function accept({ client, baseUrl }: Stack, { id, callback_url: url, approvals }: WaitingRun): Promise<void> {
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
async function startUntilKilled(stack: Stack, agent: string, kill: () => Promise<unknown>): Promise<string[]> {
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

async function eventsOf(stack: Stack, runId: string): Promise<string[]> {
  const events = await stack.query<{ type: string }>('select type from events where run_id = $1', [runId]);
  return events.map(({ type }) => type);
}
