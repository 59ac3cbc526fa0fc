import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { ModelServer } from '../support/model-server.js';
import { startStack } from '../support/stack.js';
import { AS_SHIPPED, type CeilingScenario } from './bench.js';
import { peakMemory } from './process-usage.js';

const RUNS = 200;
const LOOK_EVERY_MS = 50;
/** Input of each run. It becomes part of the prompt. */
const INPUT = { body: 'Dear people, I would like my money back. '.repeat(50) };
const STREAMED = 'I have looked into this and found what follows. '.repeat(20);

/**
 * Measures the memory of one worker while 200 model-driven runs wait for the second turn of their model. The stream of
 * each response is paused in the middle.
 */
export const modelRuns: CeilingScenario = {
  name: 'model-runs',
  async run({ figures, openDatabase, repetitions }): Promise<void> {
    const models = await ModelServer.start();
    const folder = await mkdtemp(join(tmpdir(), 'bench-models-'));
    const file = join(folder, 'providers.yaml');
    await writeFile(file, `providers: { fake: { type: openai-compatible, base_url: "${models.url}" } }`);
    const { url: databaseUrl, database } = await openDatabase('model_runs');
    const env = { ...AS_SHIPPED, WORKER_CONCURRENCY: String(RUNS), MODEL_PROVIDERS: file };
    const stack = await startStack({ databaseUrl, redisUrl: undefined, env });
    try {
      const agent = await stack.client.createAgent({
        name: 'thinker',
        model: 'fake/any',
        instructions: 'Answer.',
        output: { type: 'object', required: ['reply'] },
      });
      for (let repetition = 0; repetition < repetitions; repetition++) {
        models.reset();
        // The first response of the model is not JSON, so the service asks the model to repair it. This request is the
        // second turn, and it contains the first response.
        models.always(({ messages }) =>
          messages.length > 2 ? { text: '{"reply": "yes"}', hang: true } : { text: STREAMED },
        );
        const worker = stack.workers[0]?.pid ?? 0;
        const memory = await peakMemory({ worker }, async () => {
          await Promise.all(Array.from({ length: RUNS }, () => stack.client.startRun(agent, INPUT)));
          while (models.requests.length < 2 * RUNS) await pause(LOOK_EVERY_MS);
          await pause(1_000);
        });
        figures.add('model-runs', null, `memory, worker, ${RUNS} runs under way`, 'MiB', memory.worker ?? NaN);
        models.release();
        const open = `select from runs where status in ('queued', 'running') limit 1`;
        while ((await database.query(open)).rowCount !== 0) {
          models.release();
          await pause(LOOK_EVERY_MS);
        }
      }
    } finally {
      await stack.stop();
      await models.close();
      await rm(folder, { recursive: true });
    }
  },
};
