/** Runs jest for one stage of `npm test` and repeats the files that failed. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { JEST_NODE_OPTIONS } from './jest-node-options.mjs';

/** If more files fail, the cause is a defect and not chance. */
const MAX_REPEATED_FILES = 20;

/**
 * Runs a stage. The files that failed run again once, one after the other, when nothing else of the stage runs. If they
 * pass now, the stage passes, and `flaky` has their tests with the output of both runs.
 *
 * `select` are the arguments of jest, `workers` is the number of its processes. With `repeat: false`, no file runs
 * again. `signal` ends jest, and prevents the second run.
 */
export async function runStage({ root, select, workers, repeat = true, signal }) {
  const limited = workers === undefined ? [] : ['--maxWorkers', String(workers)];
  const first = await runJest(root, [...select, ...limited], signal);
  const failed = first.files.filter(({ failures }) => failures.length > 0);
  if (!repeat || signal?.aborted || failed.length === 0 || failed.length > MAX_REPEATED_FILES) {
    return { ...first, flaky: [] };
  }
  const paths = failed.map(({ path }) => path);
  process.stderr.write(`\nFailed files run again, alone:\n${paths.map((path) => `  ${path}\n`).join('')}`);
  const again = await runJest(root, [...select, '--maxWorkers', '1', '--runTestsByPath', ...paths], signal);
  return combineRuns(first, again, failed);
}

/** The second run of a file decides. A file without a second result keeps its first one. */
function combineRuns(first, again, failed) {
  const repeated = new Map(again.files.map((file) => [file.path, file]));
  const flaky = failed.flatMap((file) => {
    const second = repeated.get(file.path);
    if (second === undefined || second.failures.length > 0) return [];
    const outcome = `passed in ${second.seconds} s`;
    return file.failures.map((test) => ({ path: file.path, test, outputs: [file.output, second.output || outcome] }));
  });
  const files = first.files.map((file) => repeated.get(file.path) ?? file);
  const allPassed = files.every(({ failures }) => failures.length === 0);
  return { status: allPassed ? again.status : first.status, files, flaky };
}

/** Runs jest once. `status` is its exit status. If it writes no report, `files` has one failure without a path. */
async function runJest(root, args, signal) {
  const folder = await mkdtemp(join(tmpdir(), 'test-report-'));
  const path = join(folder, 'report.json');
  const status = await startJest(root, ['--json', `--outputFile=${path}`, ...args], signal);
  const report = await readFile(path, 'utf8').then(JSON.parse, () => undefined);
  await rm(folder, { recursive: true, force: true });
  if (report !== undefined) return { status, files: report.testResults.map((result) => describeFile(root, result)) };
  const failures = ['(jest wrote no report)'];
  return { status: status || 1, files: [{ path: '', seconds: 0, passed: 0, skipped: 0, failures, output: '' }] };
}

function describeFile(root, { name, startTime, endTime, status, message, assertionResults }) {
  const having = (...statuses) => assertionResults.filter((test) => statuses.includes(test.status));
  const failures = having('failed').map((test) => test.fullName);
  // A test file that does not load has no failed tests, but must not count as a success.
  if (failures.length === 0 && status === 'failed') failures.push('(the file did not run)');
  return {
    path: relative(root, name),
    seconds: Math.round((endTime - startTime) / 1_000),
    passed: having('passed').length,
    skipped: having('pending').length,
    failures,
    output: message,
  };
}

function startJest(root, args, signal) {
  const jest = join(import.meta.dirname, '../node_modules/jest/bin/jest.js');
  // jest writes the report to a file. It then prints its usual summary and leaves stdout empty. With `--json` alone, it
  // would print the report instead of the summary.
  const child = spawn(process.execPath, [...JEST_NODE_OPTIONS, jest, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  signal?.addEventListener('abort', () => child.kill(signal.reason), { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
