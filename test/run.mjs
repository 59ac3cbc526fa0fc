/**
 * `npm test`: prepares the checkout, runs every test and prints the totals on the last line. Arguments go to jest.
 * Without arguments, the tests run in stages, and the files of a stage that failed run again once. The checks that
 * occupy a CPU core for a minute (lint and types of the whole tree) do not run while tests depend on the heartbeats of
 * real processes.
 */
import { availableParallelism, totalmem } from 'node:os';

import { CheckoutError, prepareCheckout, ROOT } from '../apps/standalone/checkout.mjs';
import { runStage } from './jest-stage.mjs';

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
  { select: ['--selectProjects', 'boundaries'] },
  { select: ['--selectProjects', 'unit', 'integration', 'e2e', 'browser'], workers: WORKERS },
  { select: ['--selectProjects', 'faults'] },
];
const SLOWEST_SHOWN = 10;

const given = process.argv.slice(2);
const stages = given.length > 0 ? [{ select: given, repeat: false }] : STAGES;
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort(signal));
const files = [];
const flaky = [];
const stageTimes = [];
for (const stage of stages) await run(stage);
if (stages.length > 1) {
  showStages();
  showSlowest();
}
showFlaky();
showFailures();
const sum = (count) => files.reduce((total, file) => total + count(file), 0);
process.stdout.write(
  `\n${sum(({ passed }) => passed)} passed, ${sum(({ failures }) => failures.length)} failed, ${sum(({ skipped }) => skipped)} skipped\n`,
);

/** Runs a stage, and sets the exit status if it fails. After an interruption, no further stage starts. */
async function run(stage) {
  if (interruption.signal.aborted) return;
  const started = performance.now();
  const result = await runStage({ root: ROOT, ...stage, signal: interruption.signal });
  stageTimes.push({ ...stage, seconds: Math.round((performance.now() - started) / 1_000) });
  files.push(...result.files);
  flaky.push(...result.flaky);
  if (result.status !== 0) process.exitCode = result.status;
}

function showStages() {
  const lines = stageTimes.map(
    ({ select, seconds }) => `${String(seconds).padStart(5)} s  ${select.slice(1).join(' ')}\n`,
  );
  process.stdout.write(`\nThe stages:\n${lines.join('')}`);
}

/** Prints the slowest test files. */
function showSlowest() {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  const lines = slowest.map(({ path, seconds }) => `${String(seconds).padStart(5)} s  ${path}\n`);
  process.stdout.write(`\nThe slowest files:\n${lines.join('')}`);
}

/** Prints the tests that failed and then passed. A test that is printed here twice must be repaired. */
function showFlaky() {
  for (const { path, test, outputs } of flaky) {
    const [first, second] = outputs;
    process.stdout.write(`\nflaky: ${path}: ${test}\nfirst run:\n${first}\nsecond run:\n${second}\n`);
  }
}

/** Prints the failed tests again at the end, because the log has thousands of lines. */
function showFailures() {
  const lines = files.flatMap(({ path, failures }) => failures.map((test) => `  ${path}: ${test}\n`));
  if (lines.length > 0) process.stdout.write(`\nFailed:\n${lines.join('')}`);
}
