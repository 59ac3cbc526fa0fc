import { CodePool } from '@app/platform/sandbox';

import type { Bench, CeilingScenario } from './bench.js';
import { quantile } from './figures.js';

const CALLS = 2_000;
const MIB = 1024 * 1024;
const REQUEST = {
  source: 'export default ({ lines }) => lines.length',
  // About 1 KB, the size of a usual input.
  input: JSON.stringify({
    lines: Array.from({ length: 20 }, (_, n) => ({ sku: `SKU-${n}`, quantity: n, price: 4.5 })),
  }),
  memoryBytes: 64 * MIB,
  millis: 1_000,
  maxResultBytes: MIB,
  owner: 'ws_bench',
};

/**
 * Measures how long the sandbox for code steps needs for a function that does almost nothing. The thread of the sandbox
 * has already started.
 */
export const codeSteps: CeilingScenario = {
  name: 'code',
  async run({ figures, repetitions, divisor }: Bench): Promise<void> {
    const pool = new CodePool({ threads: 1 });
    try {
      for (let call = 0; call < CALLS / 4; call++) await execute(pool);
      for (let repetition = 0; repetition < repetitions; repetition++) {
        const millis: number[] = [];
        for (let call = 0; call < CALLS / divisor; call++) millis.push(await execute(pool));
        millis.sort((a, b) => a - b);
        figures.add('code', null, 'code step, warm, p50', 'ms', quantile(millis, 0.5));
        figures.add('code', null, 'code step, warm, p99', 'ms', quantile(millis, 0.99));
      }
    } finally {
      pool.close();
    }
  },
};

async function execute(pool: CodePool): Promise<number> {
  const begun = performance.now();
  const result = await pool.execute(REQUEST);
  if (result.kind !== 'value') throw new Error(`The code did not return a value: ${JSON.stringify(result)}`);
  return performance.now() - begun;
}
