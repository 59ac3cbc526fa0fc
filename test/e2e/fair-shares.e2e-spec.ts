import type { JsonObject } from '@app/kernel';
import { addWorkspace } from '../support/added-workspace.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { type LoneScene, Scene } from '../support/scene.js';

/** The API enqueues no job for a run of a workspace that has so many due runs (see backpressure.service.ts). */
const NOTICED = 256;
const BACKLOG = 1_000;
const VISITORS = 32;
const SLOTS = 4;

const anAgent = (name: string, url: string): JsonObject => ({
  name,
  tools: [{ name: 'erp', type: 'http', base_url: url, operations: [{ name: 'get', method: 'GET', path: '/order' }] }],
  steps: [{ id: 'order', tool: 'erp.get' }],
});

describe('two workspaces', () => {
  let scene: LoneScene;

  beforeAll(async () => {
    const env = { MAX_QUEUED_RUNS: '20000', LOG_LEVEL: 'warn' };
    scene = await Scene.alone({ why: 'measures the turns of all workspaces', workers: 0, env });
  });
  afterAll(() => scene.stop());

  const startRuns = async (agent: string, count: number): Promise<void> => {
    let left = count;
    const visitor = async (): Promise<void> => {
      while (left-- > 0) await scene.stack.client.startRun(agent);
    };
    await Promise.all(Array.from({ length: VISITORS }, visitor));
  };
  const enqueuedJobs = async (): Promise<string | undefined> => {
    const metrics = await (await fetch(`${scene.stack.baseUrl}/metrics`)).text();
    return /aas_queue_enqueued_jobs_total\{.*outcome="sent"\} (\d+)/.exec(metrics)?.[1];
  };
  const succeeded = async (client: ApiClient, id: string): Promise<void> => {
    await eventually(async () => expect(await client.run(id)).toMatchObject({ status: 'succeeded' }));
  };

  it('share the workers: a thousand waiting runs of one do not keep the other waiting for their end', async () => {
    const { stack, ledger } = scene;
    const busy = await stack.client.createAgent(anAgent('busy', ledger.url));
    await startRuns(busy, NOTICED);
    await eventually(async () => {
      const before = await enqueuedJobs();
      await stack.client.startRun(busy);
      expect(await enqueuedJobs()).toBe(before);
    });
    await startRuns(busy, BACKLOG - NOTICED);

    const other = await addWorkspace(stack);
    const client = new ApiClient(() => stack.baseUrl, other.adminKey);
    const quiet = await client.createAgent(anAgent('quiet', ledger.url));
    await stack.addWorker({ WORKER_CONCURRENCY: String(SLOTS) });
    const runs = await Promise.all(Array.from({ length: 5 }, () => client.startRun(quiet)));
    for (const { id } of runs) await succeeded(client, id);
    const [row] = await stack.query<{ before: number }>(
      `select count(*)::integer as before from runs
        where workspace_id = $1 and ended_at < (select max(ended_at) from runs where workspace_id = $2)`,
      [stack.workspaceId, other.workspaceId],
    );
    // The queue first processes the jobs that the busy workspace had enqueued before the API noticed the backlog. After
    // that, both workspaces share the workers.
    expect(row!.before).toBeLessThan((BACKLOG * 3) / 4);

    const { id } = await client.startRun(quiet);
    await succeeded(client, id);
    const [single] = await stack.query<{ between: number; left: number }>(
      `select count(*) filter (where busy.ended_at between other.created_at and other.ended_at)::integer as between,
              count(*) filter (where busy.ended_at is null)::integer as left
         from runs other, runs busy where other.id = $1 and busy.workspace_id = $2`,
      [id, stack.workspaceId],
    );
    expect(single!.between).toBeLessThan(10 * SLOTS);
    expect(single!.left).toBeGreaterThan(BACKLOG / 8);
  });
});
