/** `npm test`: prepares the checkout, runs jest with whatever arguments were given, and ends with the totals on a line of their own. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CheckoutError, prepareCheckout, ROOT } from '../apps/standalone/checkout.mjs';

try {
  await prepareCheckout();
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

const folder = await mkdtemp(join(tmpdir(), 'test-report-'));
const report = join(folder, 'report.json');
const status = await runJest(['--json', `--outputFile=${report}`, ...process.argv.slice(2)]);
const totals = await readFile(report, 'utf8').then(JSON.parse, () => undefined);
await rm(folder, { recursive: true, force: true });
// A suite that does not even load has no test that could fail, yet it must not read as a success.
if (totals !== undefined) {
  const failed = totals.numFailedTests + totals.numRuntimeErrorTestSuites;
  process.stdout.write(`\n${totals.numPassedTests} passed, ${failed} failed, ${totals.numPendingTests} skipped\n`);
}
process.exitCode = status;

function runJest(args) {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  // With --json jest prints the report instead of the summary, unless it is written to a file as well; then stdout stays quiet.
  const child = spawn(process.execPath, [...options, jest, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
