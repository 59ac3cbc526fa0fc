import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { preloading } from '../faults/preloading.js';
import { Scene } from '../support/scene.js';

const HOUR_MS = 3_600_000;
const SCHEDULES = 20;

const anAgent = (name: string, triggers: JsonObject[], more: JsonObject = {}): JsonObject => ({
  name,
  triggers,
  steps: [{ id: 'result', output: { done: true } }],
  ...more,
});

/**
 * Each event must start exactly one run. No event may be lost. Deliveries are concurrent, processes are killed, and
 * clocks are wrong.
 */
describe('triggers', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterAll(() => scene.stop());

  const runsOf = (agent: string) =>
    scene.stack.query<{ id: string; status: string; trigger: { id: string; fire_at: string } }>(
      'select id, status, trigger from runs where agent_id = $1 order by id',
      [agent],
    );
  const outcomesOf = async (agent: string) =>
    (
      await scene.stack.query<{ outcome: string }>(
        'select outcome from trigger_events where agent_id = $1 order by id',
        [agent],
      )
    ).map(({ outcome }) => outcome);
  /** Sets the next fire time of the schedules of the agent to `minutesAgo` minutes ago. */
  const makeDue = (agent: string, minutesAgo = 0) =>
    scene.stack.query(
      `update triggers set fire_at = date_trunc('minute', clock_timestamp()) - $2 * interval '1 minute', due_at = clock_timestamp(),
         active_since = clock_timestamp() - interval '1 day'
       where agent_id = $1 and type = 'schedule'`,
      [agent, minutesAgo],
    );
  const planned = async (agent: string) => {
    await eventually(async () => {
      const open = await scene.stack.query(
        `select from triggers where agent_id = $1 and type = 'schedule' and (fire_at is null or fire_at <= clock_timestamp())`,
        [agent],
      );
      expect(open).toHaveLength(0);
    });
  };

  it('start one run for each delivery of a webhook, while api and workers are killed and senders repeat', async () => {
    const { stack } = scene;
    const made = await stack.client.expect<{ id: string; webhook_secret: string }>(
      'POST',
      '/v1/agents',
      anAgent('hooked', [{ id: 'hook', type: 'webhook', map: { n: '${{ body.n }}' } }]),
    );
    const deliveries = Array.from({ length: 60 }, (_, n) => n);
    const answers = new Map<number, string>();
    /**
     * Delivers the event until the service has acknowledged it twice. Senders also repeat events that were already
     * acknowledged.
     */
    const deliver = async (n: number): Promise<void> => {
      for (let acknowledged = 0; acknowledged < 2;) {
        const response = await fetch(`${stack.baseUrl}/v1/agents/${made.id}/trigger`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-service-webhook-secret': made.webhook_secret,
            'x-github-delivery': `delivery-${n}`,
          },
          body: JSON.stringify({ n }),
        }).catch(() => undefined);
        if (response?.status === 202) {
          const { run } = (await response.json()) as { run: string };
          expect(answers.get(n) ?? run).toBe(run);
          answers.set(n, run);
          acknowledged++;
        } else await pause(20);
      }
    };
    const senders = Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let n = deliveries.pop(); n !== undefined; n = deliveries.pop()) await deliver(n);
      }),
    );
    await eventually(() => expect(answers.size).toBeGreaterThan(15));
    await Promise.all([stack.api, ...stack.workers.splice(0)].map((program) => program.kill()));
    await stack.startApi();
    await stack.addWorker();
    await senders;
    await eventually(async () => {
      const runs = await runsOf(made.id);
      expect(runs.map(({ status }) => status)).toEqual(Array(60).fill('succeeded'));
      expect(new Set(runs.map(({ id }) => id))).toEqual(new Set(answers.values()));
    });
  });

  it('start one run for each fire time, with three workers whose clocks are wrong, one of which is killed', async () => {
    const { stack } = scene;
    const triggers = Array.from({ length: SCHEDULES }, (_, n) => ({
      id: `every_${n}`,
      type: 'schedule',
      cron: '* * * * *',
    }));
    const [fast, slow] = await Promise.all(
      [HOUR_MS, -HOUR_MS].map((skew) => stack.addWorker(preloading('skew.mjs', { SKEW_MS: String(skew) }))),
    );
    const agents = await Promise.all(
      [1, 2, 3].map((n) => stack.client.createAgent(anAgent(`scheduled-${n}`, triggers))),
    );
    await Promise.all(agents.map((agent) => makeDue(agent)));
    await fast!.kill();
    // The killed process had claimed the overdue triggers. This statement makes them due at once.
    await stack.query('update triggers set due_at = clock_timestamp() where fire_at <= clock_timestamp()');
    for (const agent of agents) await planned(agent);
    await eventually(async () => {
      for (const agent of agents) {
        const runs = await runsOf(agent);
        const fires = runs.map(({ trigger }) => `${trigger.id} ${trigger.fire_at}`);
        expect(new Set(fires).size).toBe(fires.length);
        expect(new Set(runs.map(({ trigger }) => trigger.id)).size).toBe(SCHEDULES);
        expect(runs.every(({ status }) => status === 'succeeded')).toBe(true);
      }
    });
    const { data } = await stack.client.expect<{ data: { id: string; type: string; next_fire_at: string }[] }>(
      'GET',
      `/v1/agents/${agents[0] ?? ''}/triggers`,
    );
    expect(data).toHaveLength(SCHEDULES);
    for (const { next_fire_at } of data) expect(Date.parse(next_fire_at)).toBeGreaterThan(Date.now() - 60_000);
    await slow!.stop();
    for (const agent of agents) await stack.client.expect('POST', `/v1/agents/${agent}/pause`);
  });

  it('of a schedule follow overlap, catch_up, promotion, pause and stop', async () => {
    const { stack } = scene;
    const schedule = (id: string, more: JsonObject = {}) => ({ id, type: 'schedule', cron: '0 0 1 1 *', ...more });
    const waits = { steps: [{ id: 'wait', wait: { for: '1h' } }] };
    const create = (name: string, trigger: JsonObject, more: JsonObject = {}) =>
      stack.client.createAgent(anAgent(name, [trigger], more));
    const skip = await create('skipping', schedule('s'), waits);
    const queue = await create('queueing', schedule('s', { overlap: 'queue' }), waits);
    const allow = await create('allowing', schedule('s', { overlap: 'allow' }), waits);
    const none = await create('missing', schedule('s'));
    const last = await create('catching-up', schedule('s', { catch_up: 'last' }));
    const paused = await create('paused', schedule('s', { catch_up: 'last' }));
    const promoted = await create('promoted', schedule('s', { input: { version: 1 } }));
    const all = [skip, queue, allow, none, last, promoted, paused];
    for (const agent of all) await planned(agent);
    await stack.client.expect('POST', `/v1/agents/${paused}/pause`);
    const minuteAgo = `date_trunc('minute', clock_timestamp()) - interval '1 minute'`;
    await stack.query(`update triggers set fire_at = ${minuteAgo} where agent_id = $1`, [paused]);
    const second = anAgent('promoted', [schedule('s', { input: { version: 2 } })], { description: 'The second.' });
    await stack.client.expect('POST', `/v1/agents/${promoted}/versions`, second);
    await stack.client.expect('POST', `/v1/agents/${promoted}/versions/2/promote`);
    await planned(promoted);
    await makeDue(promoted);
    await planned(promoted);
    expect(await stack.query('select version, input from runs where agent_id = $1', [promoted])).toEqual([
      { version: 2, input: { version: 2 } },
    ]);

    for (const agent of [skip, queue, allow]) await makeDue(agent, 1);
    for (const agent of [none, last]) await makeDue(agent, 30);
    for (const agent of [skip, queue, allow, none, last]) await planned(agent);
    for (const agent of [skip, queue, allow]) {
      await makeDue(agent);
      await planned(agent);
    }
    expect(await outcomesOf(skip)).toEqual(['started', 'filtered']);
    expect(await outcomesOf(queue)).toEqual(['started', 'started']);
    expect(await outcomesOf(allow)).toEqual(['started', 'started']);
    expect(await outcomesOf(none)).toEqual(['filtered']);
    expect(await outcomesOf(last)).toEqual(['started']);
    const attempts = (agent: string) =>
      stack.query<{ attempt: number }>('select attempt from runs where agent_id = $1 order by id', [agent]);
    await eventually(async () => expect((await attempts(allow)).map(({ attempt }) => attempt)).toEqual([1, 1]));
    expect((await attempts(queue)).map(({ attempt }) => attempt)).toEqual([1, 0]);

    await stack.client.expect('POST', '/v1/workspace/emergency-stop');
    await stack.query(
      `update triggers set fire_at = date_trunc('minute', clock_timestamp()), due_at = clock_timestamp() where agent_id = any ($1)`,
      [[none, last]],
    );
    await eventually(async () => {
      const parked = await stack.query('select from triggers where agent_id = any ($1) and due_at is null', [
        [none, last],
      ]);
      expect(parked).toHaveLength(2);
    });
    await stack.client.expect('POST', '/v1/workspace/resume');
    for (const agent of [none, last]) await planned(agent);
    expect(await outcomesOf(none)).toEqual(['filtered', 'filtered']);
    expect(await outcomesOf(last)).toEqual(['started', 'started']);
    expect(await outcomesOf(paused)).toEqual([]);
    await stack.client.expect('POST', `/v1/agents/${paused}/resume`);
    await planned(paused);
    expect(await outcomesOf(paused)).toEqual(['started']);
  });

  it('of a schedule are started by hand, also while the agent is paused', async () => {
    const { stack } = scene;
    const definition = anAgent('by-hand', [
      { id: 'yearly', type: 'schedule', cron: '0 0 1 1 *', input: { at: '${{ trigger.fire_at }}' } },
      { id: 'hook', type: 'webhook' },
    ]);
    const agent = await stack.client.createAgent(definition);
    await stack.client.expect('POST', `/v1/agents/${agent}/pause`);
    const path = (trigger: string) => `/v1/agents/${agent}/triggers/${trigger}/run`;
    const run = await stack.client.expect<JsonObject>('POST', path('yearly'));
    expect(run).toMatchObject({
      status: 'queued',
      initiator: 'admin@example.com',
      trigger: { type: 'schedule', id: 'yearly' },
      input: { at: expect.stringMatching(/^20/) },
    });
    expect((await stack.client.call('POST', path('hook'))).status).toBe(400);
    expect((await stack.client.call('POST', path('nope'))).status).toBe(404);
    await stack.client.expect('POST', '/v1/workspace/emergency-stop');
    expect((await stack.client.call('POST', path('yearly'))).status).toBe(409);
    await stack.client.expect('POST', '/v1/workspace/resume');
    expect(await outcomesOf(agent)).toEqual(['started']);
  });
});
