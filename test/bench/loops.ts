import { setTimeout as pause } from 'node:timers/promises';

import { type Stack, startStack } from '../support/stack.js';
import { AS_SHIPPED, type CeilingScenario } from './bench.js';
import { peakMemory } from './process-usage.js';

const ROUNDS = 1_000;
const RUNS = 4;
const LOOK_EVERY_MS = 50;

/**
 * Measures the memory of a worker that executes several loops of 1 000 rounds at the same time. Each round computes
 * values and passes them to the next round.
 */
export const loops: CeilingScenario = {
  name: 'loop',
  async run({ figures, openDatabase, repetitions }): Promise<void> {
    const { url: databaseUrl } = await openDatabase('loops');
    const stack = await startStack({ databaseUrl, redisUrl: undefined, env: AS_SHIPPED });
    try {
      const agent = await stack.client.createAgent({
        name: 'counter',
        steps: [
          {
            id: 'count',
            repeat: {
              carry: { n: 0, last: '' },
              steps: [
                { id: 'value', let: { next: '${{ carry.n + 1.0 }}', text: 'Round ${{ string(carry.n) }} of many.' } },
              ],
              next: { n: '${{ steps.value.output.next }}', last: '${{ steps.value.output.text }}' },
              until: `carry.n >= ${ROUNDS}.0`,
              max: ROUNDS,
            },
          },
          { id: 'result', output: { rounds: '${{ steps.count.output.carry.n }}' } },
        ],
      });
      for (let repetition = 0; repetition < repetitions; repetition++) {
        const worker = stack.workers[0]?.pid ?? 0;
        const begun = performance.now();
        const memory = await peakMemory({ worker }, async () => {
          const started = await Promise.all(Array.from({ length: RUNS }, () => stack.client.startRun(agent)));
          for (const { id } of started) await succeeded(stack, id);
        });
        const millis = (performance.now() - begun) / (RUNS * ROUNDS);
        figures.add('loop', null, `memory, worker, ${RUNS} × ${ROUNDS} rounds`, 'MiB', memory.worker ?? NaN);
        figures.add('loop', null, 'time of a round', 'ms', millis);
      }
    } finally {
      await stack.stop();
    }
  },
};

async function succeeded(stack: Stack, id: string): Promise<void> {
  for (;;) {
    const { status, error } = await stack.client.run(id);
    if (status === 'succeeded') return;
    if (status !== 'queued' && status !== 'running')
      throw new Error(`The run ended with the status ${status}: ${JSON.stringify(error)}`);
    await pause(LOOK_EVERY_MS);
  }
}
