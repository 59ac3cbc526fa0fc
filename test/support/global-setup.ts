import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

declare global {
  /**
   * Ends the shared programs and the PostgreSQL server of this jest run. The global setup sets this function, and the
   * global teardown calls it. Both run in the main process of jest.
   */
  var stopTestServers: (() => Promise<void>) | undefined;
}

const PREFIX = 'agent-automation-test-';

/**
 * Starts the keeper of shared stacks, creates the directory for the PostgreSQL server of this jest run, and removes the
 * directories of runs that were killed. The first test file that needs a database starts the server (see `postgres.ts`). This file cannot start it,
 * because jest resolves neither `@app/…` nor `.js` imports in a global setup.
 */
export default async function globalSetup(): Promise<void> {
  if (globalThis.stopTestServers) return;
  await removeLeftovers();
  const directory = await mkdtemp(join(await readableTemporaryFolder(), PREFIX));
  await chmod(directory, 0o711);
  await writeFile(join(directory, 'owner'), String(process.pid));
  process.env.TEST_POSTGRES_DIRECTORY = directory;
  const keeper = await startKeeper();
  globalThis.stopTestServers = async () => {
    await stopKeeper(keeper);
    await removePlace(directory);
  };
}

async function startKeeper(): Promise<ChildProcess> {
  const keeper = fork(join(import.meta.dirname, 'stack-keeper.mjs'), { execArgv: [] });
  const [address] = (await once(keeper, 'message')) as [string];
  process.env.TEST_STACK_KEEPER = address;
  keeper.unref();
  keeper.channel?.unref();
  return keeper;
}

async function stopKeeper(keeper: ChildProcess): Promise<void> {
  keeper.ref();
  const ended = once(keeper, 'exit');
  if (keeper.kill()) await ended;
}

/**
 * Returns a temporary folder that the server can access. If the tests run as root, the server runs as another user, who
 * cannot access a private TMPDIR.
 */
async function readableTemporaryFolder(): Promise<string> {
  const wished = tmpdir();
  if (process.getuid?.() !== 0 || (await isOpenToAll(wished))) return wished;
  return existsSync('/var/tmp') ? '/var/tmp' : '/tmp';
}

async function isOpenToAll(folder: string): Promise<boolean> {
  if (((await stat(folder)).mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}

async function removeLeftovers(): Promise<void> {
  for (const folder of new Set([tmpdir(), '/var/tmp', '/tmp'])) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((each) => each.startsWith(PREFIX))) {
      const directory = join(folder, name);
      const owner = Number(await readFile(join(directory, 'owner'), 'utf8').catch(() => ''));
      const mine = (await stat(directory).catch(() => undefined))?.uid === process.getuid?.();
      if (owner > 0 && mine && !isAlive(owner)) await removePlace(directory);
    }
  }
}

/**
 * Stops the server whose data is in the directory, and deletes the directory. The signal SIGQUIT skips the checkpoint,
 * which is not needed because the data is deleted.
 */
async function removePlace(directory: string): Promise<void> {
  const file = join(directory, 'postgres', 'cluster', 'postmaster.pid');
  const server = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (server > 0 && isAlive(server)) {
    process.kill(server, 'SIGQUIT');
    for (let left = 200; left > 0 && isAlive(server); left -= 1) await pause(50);
  }
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
