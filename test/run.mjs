/**
 * `npm test`: prepares the checkout, runs every test and ends with the totals on a line of their own. Arguments go to jest.
 * Without any there are stages: what keeps a processor busy for a minute (lint and types of the whole tree) does not run beside
 * tests in which real processes have to beat in time.
 */
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

const STAGES = [['boundaries'], ['unit', 'integration', 'e2e'], ['faults']];

const given = process.argv.slice(2);
const stages = given.length > 0 ? [given] : STAGES.map((projects) => ['--selectProjects', ...projects]);
const totals = { passed: 0, failed: 0, skipped: 0 };
for (const stage of stages) await runStage(stage);
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);

/** Adds to the totals, and to the exit status when jest is not content. */
async function runStage(args) {
  const folder = await mkdtemp(join(tmpdir(), 'test-report-'));
  const path = join(folder, 'report.json');
  const status = await runJest(['--json', `--outputFile=${path}`, ...args]);
  const report = await readFile(path, 'utf8').then(JSON.parse, () => undefined);
  await rm(folder, { recursive: true, force: true });
  totals.passed += report?.numPassedTests ?? 0;
  totals.skipped += report?.numPendingTests ?? 0;
  // A suite that does not even load, or a jest that does not report, has no test that could fail, yet it must not read as a success.
  totals.failed += report ? report.numFailedTests + report.numRuntimeErrorTestSuites : 1;
  if (status !== 0) process.exitCode = status;
}

function runJest(args) {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  // With --json jest prints the report instead of the summary, unless it is written to a file as well; then stdout stays quiet.
  const child = spawn(process.execPath, [...options, jest, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(child, signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Whoever breaks the tests off gets no further stage. */
function end(child, signal) {
  stages.length = 0;
  child.kill(signal);
}
