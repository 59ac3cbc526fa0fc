/** Uses only Node's own modules, because it runs before anything is installed. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { withLock } from './checkout-lock.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const OLDEST_NODE = [20, 19];
const MODULES = join(ROOT, 'node_modules');
const DIST = join(ROOT, 'dist');
const LOCKFILE = join(ROOT, 'package-lock.json');
const INSTALL_STAMP = join(MODULES, '.installed-for');
const BUILD_STAMP = join(DIST, '.built-from.json');
const CONSOLE_STAMP = join(DIST, '.console-built-from.json');
const CLI_STAMP = join(DIST, '.cli-built-from.json');
const GUIDES_STAMP = join(DIST, '.guides-built-from.json');
/** The inputs of apps/bundle-programs.mjs, and the files that it copies to the build output. */
const SERVICE_SOURCES = {
  folders: ['apps', 'libs', 'packages/sdk/src'],
  files: [
    'tsconfig.json',
    'apps/bundle-programs.mjs',
    'package-lock.json',
    'packages/sdk/openapi.json',
    'packages/sdk/generate.mjs',
  ],
  isSource: (file) => /\.(ts|sql|json|ya?ml)$|[\\/]sample[\\/].+\.md$/.test(file) && !IS_BUNDLED.test(file),
};
/** The programs of the tests are bundled together with the service. */
const TEST_SOURCES = { ...SERVICE_SOURCES, folders: [...SERVICE_SOURCES.folders, 'test/support', 'test/bench'] };
/** They include docs/cookbook, because both offer its agents as templates. */
const CONSOLE_SOURCES = {
  folders: ['apps/console', 'packages/sdk/src', 'docs/cookbook'],
  files: [
    'package-lock.json',
    'packages/sdk/openapi.json',
    'packages/sdk/generate.mjs',
    'apps/compressed-twins.mjs',
    'apps/cookbook-templates.mjs',
    'apps/early-script.mjs',
    'apps/english-only.mjs',
    'apps/error-remedies.mjs',
    'apps/expression-functions.mjs',
    'docs/errors.md',
    'docs/expressions.md',
  ],
  isSource: (file) => /\.(tsx?|css|html|svg|mjs|json|yaml|md)$/.test(file),
};
/** The command line also contains the skill for coding assistants, which is generated from docs. */
const CLI_SOURCES = {
  ...CONSOLE_SOURCES,
  folders: ['apps/cli', 'apps/guides/build', 'packages/sdk/src', 'docs'],
  files: [...CONSOLE_SOURCES.files, 'apps/skill-module.mjs'],
};
/** They include the style of the console, because the guides use its colours and its icon. */
const GUIDES_SOURCES = {
  folders: ['docs', 'apps/guides', 'apps/console/src/style'],
  files: [
    'package-lock.json',
    'apps/compressed-twins.mjs',
    'apps/console/src/ui/icon.svg',
    'packages/sdk/README.md',
    'CONTRIBUTING.md',
  ],
  isSource: (file) => /\.(md|json|png|svg|ts|css|mjs)$/.test(file),
};
const IS_BUNDLED = /^apps[\\/](console|cli|guides)[\\/]/;
const IS_GENERATED = /^packages[\\/]sdk[\\/]src[\\/]generated[\\/]/;
const IS_TEST = /\.(spec|int-spec|e2e-spec|browser-spec)\.ts$/;

/** Only its message is shown, without a stack trace. */
export class CheckoutError extends Error {}

const print = (line) => process.stdout.write(`${line}\n`);

/**
 * Installs the packages and builds the programs. Only one process at a time does this; the others wait.
 * @param tests whether to include what only tests and checks need: the development dependencies, and the programs of
 *   the tests. A checkout that has them also suffices without.
 */
export async function prepareCheckout(say = print, { tests = false } = {}) {
  refuseOldNode();
  if ((await isInstalled(tests)) && (await isBuilt(tests))) return;
  await withLock(join(ROOT, '.checkout.lock'), say, async () => {
    if (!(await isInstalled(tests))) await install(say, tests);
    if (!(await isBuilt(tests))) await build(say, tests);
  });
}

/** Like {@link prepareCheckout} for tests, but does not build. */
export async function installAll(say = print) {
  refuseOldNode();
  if (await isInstalled(true)) return;
  await withLock(join(ROOT, '.checkout.lock'), say, async () => {
    if (!(await isInstalled(true))) await install(say, true);
  });
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new CheckoutError(
    `Node ${OLDEST_NODE.join('.')} or newer is needed, but this is Node ${process.versions.node} (${process.execPath}). Install a newer Node, then start again.`,
  );
}

async function isInstalled(tests) {
  const wanted = await installKey(tests);
  const stamp = await read(INSTALL_STAMP);
  if (stamp === wanted || stamp === (await installKey(true))) return true;
  // If the user has run npm directly, the stamp is outdated. The record that npm keeps shows whether the installed
  // packages match the lock file.
  if (!(await matchesLockfile(tests))) return false;
  await writeFile(INSTALL_STAMP, wanted).catch(() => undefined);
  return true;
}

/** The key contains the platform, because packages that were compiled on another platform do not run here. */
async function installKey(tests) {
  const parts = tests ? ['tests'] : [];
  return digest([await readFile(LOCKFILE), `${process.platform}-${process.arch}`, ...parts]);
}

async function matchesLockfile(tests) {
  const installed = JSON.parse((await read(join(MODULES, '.package-lock.json'))) || '{}').packages;
  if (installed === undefined) return false;
  const { packages } = JSON.parse(await readFile(LOCKFILE, 'utf8'));
  return Object.entries(packages).every(([path, wanted]) => {
    if (path === '' || wanted.link || (wanted.dev && !tests)) return true;
    const found = installed[path];
    if (found === undefined) return wanted.optional === true && !isForThisMachine(wanted);
    return found.version === wanted.version && existsSync(join(ROOT, path, 'package.json'));
  });
}

function isForThisMachine({ os, cpu, libc }) {
  const allows = (list, value) => list === undefined || list.includes(value);
  return (
    libc === undefined &&
    (os !== undefined || cpu !== undefined) &&
    allows(os, process.platform) &&
    allows(cpu, process.arch)
  );
}

async function install(say, tests) {
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js')
    ? [process.execPath, process.env.npm_execpath]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
  // NODE_ENV=production would omit the development dependencies.
  await perform(
    'Installing packages (npm ci)',
    [...npm, 'ci', tests ? '--include=dev' : '--omit=dev', '--include=optional', '--no-audit', '--no-fund'],
    say,
  );
  await writeFile(INSTALL_STAMP, await installKey(tests));
}

async function isBuilt(tests) {
  return (
    (await isServiceCurrent(tests)) &&
    (await isCurrent(CONSOLE_STAMP, CONSOLE_SOURCES)) &&
    (await isCurrent(CLI_STAMP, CLI_SOURCES)) &&
    (await isCurrent(GUIDES_STAMP, GUIDES_SOURCES))
  );
}

async function isServiceCurrent(tests) {
  const { key, testKey } = JSON.parse((await read(BUILD_STAMP)) || '{}');
  if (key !== (await hashSources(SERVICE_SOURCES)).key) return false;
  return !tests || testKey === (await hashSources(TEST_SOURCES)).key;
}

async function isCurrent(stampFile, sources) {
  const stamp = JSON.parse((await read(stampFile)) || '{}');
  return stamp.key !== undefined && stamp.key === (await hashSources(sources)).key;
}

async function build(say, tests) {
  // The API client is generated first, because the service, the console and the CLI include its source.
  await perform('Generating the client', [process.execPath, join(ROOT, 'packages/sdk/generate.mjs')], say);
  if (!(await isServiceCurrent(tests))) await buildService(say, tests);
  if (!(await isCurrent(CONSOLE_STAMP, CONSOLE_SOURCES)))
    await buildBundle('console', CONSOLE_STAMP, CONSOLE_SOURCES, say);
  if (!(await isCurrent(CLI_STAMP, CLI_SOURCES))) await buildBundle('cli', CLI_STAMP, CLI_SOURCES, say);
  if (!(await isCurrent(GUIDES_STAMP, GUIDES_SOURCES))) await buildBundle('guides', GUIDES_STAMP, GUIDES_SOURCES, say);
}

async function buildService(say, tests) {
  const stamp = {
    key: (await hashSources(SERVICE_SOURCES)).key,
    ...(tests && { testKey: (await hashSources(TEST_SOURCES)).key }),
  };
  await rm(BUILD_STAMP, { force: true });
  await perform(
    'Building',
    [process.execPath, join(ROOT, 'apps/bundle-programs.mjs'), ...(tests ? [] : ['--without-tests'])],
    say,
  );
  await writeFile(BUILD_STAMP, JSON.stringify(stamp));
}

async function buildBundle(app, stamp, inputs, say) {
  const sources = await hashSources(inputs);
  await rm(stamp, { force: true });
  const config = join(ROOT, `apps/${app}/vite.config.mjs`);
  const vite = [process.execPath, join(MODULES, 'vite/bin/vite.js'), 'build', '--config', config];
  await perform(`Building the ${app}`, vite, say);
  await writeFile(stamp, JSON.stringify({ key: sources.key }));
}

/** Ignores dates, which are new in a fresh clone or a copy. */
async function hashSources({ folders, files: single, isSource }) {
  const found = await Promise.all(folders.map((folder) => listSources(folder, isSource)));
  const files = [...single, ...found.flat()].sort();
  const contents = await Promise.all(files.map((file) => readFile(join(ROOT, file))));
  return {
    key: digest(files.flatMap((file, index) => [file, String(contents[index].length), contents[index]])),
    files,
  };
}

async function listSources(folder, isSource) {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(ROOT.length))
    .filter(
      (file) =>
        isSource(file) && !IS_TEST.test(file) && !file.includes(`${sep}node_modules${sep}`) && !IS_GENERATED.test(file),
    );
}

/** Reports every few seconds that it is still running, and shows its output only if it fails. */
async function perform(title, [command, ...args], say) {
  const begun = Date.now();
  const elapsed = () => `${((Date.now() - begun) / 1000).toFixed(1)} s`;
  say(`${title} …`);
  const ticker = setInterval(() => say(`${title} … ${elapsed()}`), 5_000);
  try {
    await new Promise((resolve, reject) => {
      const output = [];
      const child = spawn(command, args, {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'pipe'],
        shell: command.endsWith('.cmd'),
      });
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
      child.once('error', (error) => reject(new CheckoutError(`${title} failed: ${error.message}`)));
      child.once('close', (code, signal) => {
        if (code === 0) return resolve();
        reject(new CheckoutError(`${Buffer.concat(output)}\n${title} failed (${signal ?? `exit code ${code}`}).`));
      });
    });
  } finally {
    clearInterval(ticker);
  }
  say(`${title}: done in ${elapsed()}`);
}

function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

function read(file) {
  return readFile(file, 'utf8').catch(() => '');
}
