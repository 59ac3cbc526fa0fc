import type { JsonObject } from '@app/kernel';
import { addWorkspace } from '../support/added-workspace.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';

const HOSTILE = 3;
/**
 * Items of a loop. The computation for each item costs about 90 000 evaluation steps, so the plan computes for many
 * seconds.
 */
const NUMBERS = Array.from({ length: 110 }, (_, n) => n);
const ITEMS = Array.from({ length: 500 }, (_, n) => n);

const computing: JsonObject = {
  name: 'computing',
  steps: [
    {
      id: 'rows',
      for_each: '${{ input.items }}',
      as: 'row',
      steps: [{ id: 'dear', assert: '!input.numbers.exists(a, input.numbers.exists(b, a + b == -1.0))' }],
    },
  ],
};

const loops: JsonObject = {
  name: 'loops',
  steps: [
    {
      id: 'outer',
      for_each: '${{ input.items }}',
      as: 'a',
      steps: [{ id: 'inner', for_each: '${{ input.items }}', as: 'b', steps: [{ id: 'holds', assert: 'true' }] }],
    },
  ],
};

describe('plans that only compute, on the only worker', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterAll(() => scene.stop());

  it('let the run of another workspace end before them, keep the lease, and can be cancelled', async () => {
    const { stack } = scene;
    const agent = await stack.client.createAgent(computing);
    const input = { items: ITEMS, numbers: NUMBERS };
    const hostile = await Promise.all(
      Array.from({ length: HOSTILE }, async () => (await stack.client.startRun(agent, input)).id),
    );
    // A plan that computes for a long time pauses regularly and records its progress, so its trace grows.
    for (const id of hostile) {
      await eventually(async () => expect((await stack.client.trace(id)).steps.length).toBeGreaterThan(1));
    }
    const other = await addWorkspace(stack);
    const client = new ApiClient(() => stack.baseUrl, other.adminKey);
    const quiet = await client.createAgent({ name: 'quiet', steps: [{ id: 'result', output: { done: true } }] });
    const { id: quietRun } = await client.startRun(quiet);
    await eventually(async () => expect(await client.run(quietRun)).toMatchObject({ status: 'succeeded' }));
    const open = await stack.query<{ id: string; attempt: number }>(
      `select id, attempt from runs where id = any($1) and status = 'running'`,
      [hostile],
    );
    expect(open.map(({ attempt }) => attempt)).toEqual(hostile.map(() => 1));

    for (const id of hostile) await stack.client.expect('POST', `/v1/runs/${id}/cancel`);
    const { id: next } = await client.startRun(quiet);
    await eventually(async () => expect(await client.run(next)).toMatchObject({ status: 'succeeded' }));
  });

  it('fail at the limit of computed steps, and keep what they noted so far', async () => {
    const { client } = scene.stack;
    const { id } = await client.startRun(await client.createAgent(loops), { items: ITEMS });
    await eventually(async () => {
      expect(await client.run(id)).toMatchObject({ status: 'failed', error: { code: 'step_limit', step: 'inner' } });
    });
    const [row] = await scene.stack.query<{ steps: number; paths: number }>(
      `select count(*)::integer as steps, count(distinct path)::integer as paths from run_steps
        where run_id = $1 and type = 'assertion'`,
      [id],
    );
    expect(row!.steps).toBe(row!.paths);
    expect(row!.steps).toBeGreaterThan(40_000);
  });
});
