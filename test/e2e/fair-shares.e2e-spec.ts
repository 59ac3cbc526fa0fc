import type { JsonObject } from '@app/kernel';
import { addWorkspace } from '../support/added-workspace.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { type LoneScene, Scene } from '../support/scene.js';
import { testedQueues } from '../support/tested-queues.js';

const BACKLOG = 2_000;
const VISITORS = 32;
const SLOTS = 4;

const anAgent = (name: string, url: string): JsonObject => ({
  name,
  tools: [{ name: 'erp', type: 'http', base_url: url, operations: [{ name: 'get', method: 'GET', path: '/order' }] }],
  steps: [{ id: 'order', tool: 'erp.get' }],
});

for (const queue of await testedQueues()) {
  if (queue.missing !== undefined) console.warn(queue.missing);
  (queue.missing === undefined ? describe : describe.skip)(`two workspaces, ${queue.title}`, () => {
    let scene: LoneScene;

    beforeAll(async () => {
      scene = await Scene.alone({
        why: 'measures the turns of all workspaces',
        redisUrl: queue.redisUrl,
        workers: 0,
        env: { MAX_QUEUED_RUNS: '20000', LOG_LEVEL: 'warn' },
      });
    });
    afterAll(() => scene.stop());

    it('share the workers: thousands of waiting runs of one do not keep the other waiting for their end', async () => {
      const { stack, ledger } = scene;
      const busy = await stack.client.createAgent(anAgent('busy', ledger.url));
      let left = BACKLOG;
      const visitor = async (): Promise<void> => {
        while (left-- > 0) await stack.client.startRun(busy);
      };
      await Promise.all(Array.from({ length: VISITORS }, visitor));

      const other = await addWorkspace(stack);
      const client = new ApiClient(() => stack.baseUrl, other.adminKey);
      const quiet = await client.createAgent(anAgent('quiet', ledger.url));
      await stack.addWorker({ WORKER_CONCURRENCY: String(SLOTS) });
      const runs = await Promise.all(Array.from({ length: 5 }, () => client.startRun(quiet)));
      for (const { id } of runs) {
        await eventually(async () => expect(await client.run(id)).toMatchObject({ status: 'succeeded' }), {
          within: 60_000,
        });
      }
      const [row] = await stack.query<{ before: number }>(
        `select count(*)::integer as before from runs
          where workspace_id = $1 and ended_at < (select max(ended_at) from runs where workspace_id = $2)`,
        [stack.workspaceId, other.workspaceId],
      );
      // The queue first processes the jobs that the busy workspace had enqueued before the queue noticed the backlog.
      // After that, both workspaces share the workers.
      expect(row!.before).toBeLessThan(BACKLOG / 2);

      const { id } = await client.startRun(quiet);
      await eventually(async () => expect(await client.run(id)).toMatchObject({ status: 'succeeded' }), {
        within: 60_000,
      });
      const [single] = await stack.query<{ between: number; left: number }>(
        `select count(*) filter (where busy.ended_at between other.created_at and other.ended_at)::integer as between,
                count(*) filter (where busy.ended_at is null)::integer as left
           from runs other, runs busy where other.id = $1 and busy.workspace_id = $2`,
        [id, stack.workspaceId],
      );
      expect(single!.between).toBeLessThan(10 * SLOTS);
      expect(single!.left).toBeGreaterThan(BACKLOG / 4);
    });
  });
}
