/**
 * `npm run check`: runs the checks that need neither Postgres nor a build, two at a time. Prints one line for each
 * check, and the output of each failed check. With `--ci`, the unit tests do not run, because `npm test` runs them.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CheckoutError, installAll } from '../apps/standalone/checkout.mjs';
import { JEST_NODE_OPTIONS } from './jest-node-options.mjs';

const ROOT = join(import.meta.dirname, '..');

const IS_CI = process.argv.includes('--ci');
const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
/** Returns the arguments of a program that package.json calls too. */
const argumentsOf = (script) => scripts[script].split(' ').slice(1);

/** Git ignores generated files. The linter checks them only because the script names them. */
const LINT = ['types and lint', 'oxlint/bin/oxlint', ...argumentsOf('lint')];
const UNUSED = ['unused', 'knip/bin/knip.js'];
const STRUCTURE = ['structure', '../test/structure/measure.mjs'];
const SPELLING = ['spelling', 'cspell/bin.mjs', ...argumentsOf('spelling')];
const UNIT = ['unit tests', 'jest/bin/jest.js', '--selectProjects', 'unit'];

/** The longest checks start first. */
const CHECKS = [LINT, ...(IS_CI ? [] : [UNIT]), STRUCTURE, UNUSED, SPELLING];

try {
  await installAll();
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const started = performance.now();
const waiting = [...CHECKS];
await Promise.all([runWaiting(), runWaiting()]);
process.stdout.write(`${process.exitCode ? 'failed' : 'passed'} in ${seconds(started)} s\n`);

async function runWaiting() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await check(...next);
}

async function check(name, program, ...args) {
  const start = performance.now();
  const { status, output } = await run(program, args);
  process.stdout.write(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds(start)} s)\n`);
  if (status === 0) return;
  process.stdout.write(`${output}\n`);
  process.exitCode = 1;
}

function run(program, args) {
  const child = spawn(process.execPath, [...JEST_NODE_OPTIONS, join(ROOT, 'node_modules', program), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output: Buffer.concat(chunks).toString('utf8').trim() }));
  });
}

function seconds(since) {
  return Math.round((performance.now() - since) / 1_000);
}
