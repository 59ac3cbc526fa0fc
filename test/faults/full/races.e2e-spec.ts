import { setTimeout as lasting } from 'node:timers/promises';

import { openQueueConnection } from '../../../libs/platform/src/queue/open-queue-connection.js';
import { FaultScene } from '../fault-scene.js';
import { Randomness } from '../randomness.js';

const QUEUE_PREFIX = 'duplicate-jobs';
const JOBS = 5;
const RUNS = 40;
const CANCELLED_RUNS = 60;

describe('three workers', () => {
  let scene: FaultScene;

  beforeAll(async () => {
    scene = await FaultScene.start({ workers: 3, env: { QUEUE_PREFIX } });
  });
  afterAll(() => scene.stop());

  it('execute a run once although it has five jobs', () =>
    scene.scenario(async () => {
      const agent = await scene.agent('writes', ['write', '/written']);
      scene.ledger.always('/written', { delayMillis: 50 });
      const queue = openQueueConnection(
        { databaseUrl: scene.network.url, redisUrl: undefined, queuePrefix: QUEUE_PREFIX },
        'publisher',
        () => undefined,
      );
      try {
        const runs = await scene.startRuns(agent, RUNS);
        const jobs = runs.flatMap((runId) =>
          Array.from({ length: JOBS }, () => ({ name: 'run.execute', payload: { runId } })),
        );
        await queue.send('runs', jobs);
        expect(await scene.settled(runs)).toEqual({ succeeded: RUNS });
        for (const run of runs) expect(scene.ledger.callsOf('/written', run)).toHaveLength(1);
        expect(await scene.query('select distinct attempt from runs where id = any($1)', [runs])).toEqual([
          { attempt: 1 },
        ]);
      } finally {
        await queue.close();
      }
    }));

  it('record one outcome when a run is cancelled as it finishes', () =>
    scene.scenario(async () => {
      const random = Randomness.forThisRun();
      const agent = await scene.agent('raced', ['write', '/raced']);
      const answers = await Promise.all(
        Array.from({ length: CANCELLED_RUNS }, async () => {
          const { id } = await scene.stack.client.startRun(agent);
          await lasting(random.between(0, 120));
          const { status } = await scene.stack.client.call('POST', `/v1/runs/${id}/cancel`, {});
          return { id, status };
        }),
      );
      await scene.settled(answers.map(({ id }) => id));
      const rows = await scene.query<{ id: string; status: string }>('select id, status from runs where id = any($1)', [
        answers.map(({ id }) => id),
      ]);
      const statusOf = new Map(rows.map(({ id, status }) => [id, status]));
      for (const { id, status } of answers) {
        expect([id, status, statusOf.get(id)]).toEqual(
          status === 200 ? [id, 200, 'cancelled'] : [id, 409, 'succeeded'],
        );
        expect(scene.ledger.callsOf('/raced', id).length).toBeLessThanOrEqual(1);
      }
      // The scene checks the invariants after the scenario. They require exactly one `run.completed` per run.
    }));
});
