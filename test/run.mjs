/**
 * `npm test`: prepares the checkout, runs the tests of the first tier and prints the totals on the last line. With
 * `--all`, runs both tiers of tiers.mjs, and with `--second-tier` the second one. Other arguments go to jest, which
 * then selects from all files. A tier runs in stages, and the files of a stage that failed run again once.
 */
import { availableParallelism, totalmem } from 'node:os';

import { CheckoutError, prepareCheckout, ROOT } from '../apps/standalone/checkout.mjs';
import { runStage } from './jest-stage.mjs';

try {
  await prepareCheckout(undefined, { tests: true });
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

/** Faults are the last stage, because they need a machine that is not busy. */
const stagesOf = (...projects) => [
  { select: ['--selectProjects', ...projects], workers: WORKERS },
  { select: ['--selectProjects', 'faults'] },
];
const EVERY_KIND = ['boundaries', 'unit', 'integration', 'e2e', 'browser'];
const TIERS = {
  '--all': { stages: stagesOf(...EVERY_KIND) },
  '--second-tier': { tier: 'second', stages: stagesOf('integration', 'e2e', 'browser') },
};
const FIRST_TIER = { tier: 'first', stages: stagesOf(...EVERY_KIND) };
const SLOWEST_SHOWN = 10;

const given = process.argv.slice(2);
const { tier, stages } = selected(given);
// jest.config.mjs reads this variable.
if (tier !== undefined) process.env.TEST_TIER = tier;
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

function selected([first, ...others]) {
  if (first === undefined) return FIRST_TIER;
  if (others.length === 0 && first in TIERS) return TIERS[first];
  return { stages: [{ select: [first, ...others], repeat: false }] };
}

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
