/**
 * `npm test`: prepares the checkout, runs every test and prints the totals on the last line. Arguments go to jest.
 * Without arguments, the tests run in stages. The checks that occupy a CPU core for a minute (lint and types of the
 * whole tree) do not run while tests depend on the heartbeats of real processes.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join, relative } from 'node:path';

import { CheckoutError, prepareCheckout, ROOT } from '../apps/standalone/checkout.mjs';
import { JEST_NODE_OPTIONS } from './jest-node-options.mjs';

try {
  await prepareCheckout();
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/**
 * Number of jest workers. Tests wait for other processes, so one worker per CPU core would leave cores idle. With two
 * per core, tests of leases and heartbeats get too little CPU time. A test with its processes takes up to 1 GB of
 * memory.
 */
const WORKERS = Math.max(
  2,
  Math.min(8, Math.floor(1.5 * availableParallelism()), Math.floor(totalmem() / 2 ** 30 / 2)),
);

const STAGES = [
  ['--selectProjects', 'boundaries'],
  ['--selectProjects', 'unit', 'integration', 'e2e', 'browser', '--maxWorkers', String(WORKERS)],
  ['--selectProjects', 'faults'],
];
const SLOWEST_SHOWN = 10;

const given = process.argv.slice(2);
const stages = given.length > 0 ? [given] : STAGES;
const totals = { passed: 0, failed: 0, skipped: 0 };
const files = [];
const failures = [];
const stageTimes = [];
for (const stage of stages) await runStage(stage);
if (stages.length > 1) {
  showStages();
  showSlowest();
}
showFailures();
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);

/** Runs jest. Adds its counts to the totals, and sets the exit status if jest fails. */
async function runStage(args) {
  const folder = await mkdtemp(join(tmpdir(), 'test-report-'));
  const path = join(folder, 'report.json');
  const started = performance.now();
  const status = await runJest(['--json', `--outputFile=${path}`, ...args]);
  stageTimes.push({ args, seconds: Math.round((performance.now() - started) / 1_000) });
  const report = await readFile(path, 'utf8').then(JSON.parse, () => undefined);
  await rm(folder, { recursive: true, force: true });
  totals.passed += report?.numPassedTests ?? 0;
  totals.skipped += report?.numPendingTests ?? 0;
  // A test file that does not load has no failed tests, but must not count as a success. The same applies if jest
  // writes no report.
  totals.failed += report ? report.numFailedTests + report.numRuntimeErrorTestSuites : 1;
  for (const { name, startTime, endTime, status: outcome, assertionResults } of report?.testResults ?? []) {
    const path = relative(ROOT, name);
    files.push({ path, seconds: Math.round((endTime - startTime) / 1_000) });
    const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    if (failed.length === 0 && outcome === 'failed') failed.push('(the file did not run)');
    for (const test of failed) failures.push(`${path}: ${test}`);
  }
  if (status !== 0) process.exitCode = status;
}

function showStages() {
  const lines = stageTimes.map(({ args, seconds }) => `${String(seconds).padStart(5)} s  ${args.slice(1).join(' ')}\n`);
  process.stdout.write(`\nThe stages:\n${lines.join('')}`);
}

/** Prints the slowest test files. */
function showSlowest() {
  const slowest = files.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  const lines = slowest.map(({ path, seconds }) => `${String(seconds).padStart(5)} s  ${path}\n`);
  process.stdout.write(`\nThe slowest files:\n${lines.join('')}`);
}

/** Prints the failed tests again at the end, because the log has thousands of lines. */
function showFailures() {
  if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.map((failure) => `  ${failure}\n`).join('')}`);
}

function runJest(args) {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  // jest writes the report to a file. It then prints its usual summary and leaves stdout empty. With `--json` alone, it
  // would print the report instead of the summary.
  const child = spawn(process.execPath, [...JEST_NODE_OPTIONS, jest, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(child, signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** After an interruption, no further stage starts. */
function end(child, signal) {
  stages.length = 0;
  child.kill(signal);
}
