import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type Account, canWrite, handOver, openPlaces, serverAccount } from './account.js';
import { readPointer } from './database-pointer.js';

export interface DataPlace {
  /** Directory of all databases of this installation. `directory` is below it or equal to it. */
  base: string;
  directory: string;
  account: Account | undefined;
}

/** It exists only if another directory stores the data, and contains the path of that directory. */
const MARKER = 'relocated-to';
const OWNER = 'stands-in-for';

/** Changes nothing. */
export async function currentPlace(dataDir: string): Promise<DataPlace> {
  const marker = await readFile(join(dataDir, MARKER), 'utf8').catch(() => undefined);
  const base = marker?.trim() ?? dataDir;
  const directory = join(base, (await readPointer(base)).current);
  return { base, directory, account: await serverAccount(join(directory, 'cluster')) };
}

/**
 * If the server's account can use the configured directory, the data is stored there. Otherwise, which happens only as
 * root, the data is stored in a system folder.
 * @throws Error with a message for the user if existing data cannot be used
 */
export async function settleData(dataDir: string, log: (line: string) => void): Promise<DataPlace> {
  await mkdir(dataDir, { recursive: true });
  const place = await currentPlace(dataDir);
  if (place.base !== dataDir) await claim(place.base, dataDir);
  if (place.directory !== place.base && (await stat(place.directory).catch(() => undefined)) === undefined) {
    throw new Error(
      `The database in use, ${place.directory}, is missing. Put the folder back, or run "npm run restore -- --undo" to use the former database.`,
    );
  }
  if (place.base !== dataDir) return place;
  const cluster = await stat(join(place.directory, 'cluster')).catch(() => undefined);
  const uid = process.getuid?.();
  if (cluster !== undefined && uid !== undefined && uid !== 0 && cluster.uid !== uid) {
    throw new Error(
      `The database in ${dataDir} belongs to the account ${cluster.uid}, but this process runs as account ${uid}. Start as account ${cluster.uid} or as root, or choose another DATA_DIR.`,
    );
  }
  await handOver(dataDir, place.account, 0o700);
  if (await canWrite(place.account, dataDir)) return place;
  if (cluster !== undefined) {
    throw new Error(
      `The server's account ${place.account?.uid ?? uid} can no longer access its data in ${dataDir}, because the permissions of a parent folder changed. Give the account access again.`,
    );
  }
  return relocate(dataDir, place.account, log);
}

async function relocate(
  dataDir: string,
  account: Account | undefined,
  log: (line: string) => void,
): Promise<DataPlace> {
  const path = await realpath(dataDir);
  const name = `data-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`;
  for await (const parent of openPlaces(account)) {
    const earlier = (await readdir(parent)).filter((entry) => entry.startsWith(`${name}-`));
    const directory = join(parent, `${name}-${randomBytes(3).toString('hex')}`);
    await mkdir(directory);
    await handOver(directory, account, 0o700);
    if (!(await canWrite(account, directory))) continue;
    await writeFile(join(directory, OWNER), path, { mode: 0o600 });
    await writeFile(join(dataDir, MARKER), `${directory}\n`, { mode: 0o600 });
    log(`the database lives in ${directory}, because the server's account cannot enter ${path}`);
    if (earlier.length > 0)
      log(`data of earlier installations at this path is still in ${parent}: ${earlier.join(', ')}`);
    return { base: directory, directory, account };
  }
  throw new Error(
    `Found no folder for the database that the account ${account?.uid ?? ''} can enter. Set DATABASE_URL, or choose another DATA_DIR.`,
  );
}

/**
 * Rejects a copy of a configured directory while the original still refers to the database. Accepts a configured
 * directory that was moved.
 */
async function claim(directory: string, dataDir: string): Promise<void> {
  if ((await stat(directory).catch(() => undefined)) === undefined) {
    throw new Error(
      `The database of ${dataDir} is in ${directory}, but this folder no longer exists. Restore the folder, or choose another DATA_DIR.`,
    );
  }
  const path = await realpath(dataDir);
  const owner = (await readFile(join(directory, OWNER), 'utf8').catch(() => path)).trim();
  if (owner === path) return;
  const original = await readFile(join(owner, MARKER), 'utf8').catch(() => '');
  if (original.trim() === directory) {
    throw new Error(
      `${dataDir} is a copy of ${owner}, and both refer to the database in ${directory}. Only one of them can use it. Delete the file ${join(dataDir, MARKER)} to create a new database, or choose another DATA_DIR.`,
    );
  }
  await writeFile(join(directory, OWNER), path, { mode: 0o600 });
}
