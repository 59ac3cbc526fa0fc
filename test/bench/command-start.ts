import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { REPOSITORY_ROOT } from '../support/repository-root.js';
import type { Bench, CeilingScenario } from './bench.js';
import { quantile } from './figures.js';

const REPETITIONS = 25;
const AAS = join(REPOSITORY_ROOT, 'dist/cli/aas.mjs');
const COMMANDS = { node: ['-e', '0'], aas: [AAS, 'runs', 'list', '--help'] };

/**
 * Measures how much longer a command of the CLI takes than a Node.js process that does nothing. The two kinds of
 * process alternate.
 */
export const commandLine: CeilingScenario = {
  name: 'command-line',
  async run(bench: Bench): Promise<void> {
    const run = promisify(execFile);
    const times = { node: new Float64Array(REPETITIONS), aas: new Float64Array(REPETITIONS) };
    for (let repetition = 0; repetition < REPETITIONS; repetition++) {
      for (const name of ['node', 'aas'] as const) {
        const begun = performance.now();
        await run(process.execPath, COMMANDS[name]);
        times[name][repetition] = performance.now() - begun;
      }
    }
    const [node, aas] = [times.node, times.aas].map((all) => quantile(all.sort(), 0.5)) as [number, number];
    bench.figures.add('command-line', null, 'a Node process that does nothing', 'ms', node);
    bench.figures.add('command-line', null, 'help of a command, beyond Node', 'ms', aas - node);
  },
};
