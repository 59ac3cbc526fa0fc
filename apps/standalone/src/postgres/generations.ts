import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { handOver } from './account.js';
import type { PostgresBinaries } from './binaries.js';
import { openCluster, removeDatabaseFiles } from './cluster.js';
import type { DataPlace } from './data-place.js';
import { POINTER_FILE, readPointer, syncDirectory, writePointer } from './database-pointer.js';
import { shutDown } from './server.js';

const UNFINISHED = 'unfinished';

/** Until {@link switchTo} is called, the new database is unfinished, and the next start would remove it. */
export async function stageDatabase(place: DataPlace, name: string): Promise<DataPlace> {
  const directory = join(place.base, name);
  await mkdir(directory);
  await writeFile(join(directory, UNFINISHED), '');
  await handOver(directory, place.account, 0o700);
  return { ...place, directory };
}

/** Its server must have stopped. Keeps the files of the former database. */
export async function switchTo(place: DataPlace, name: string): Promise<void> {
  const { current } = await readPointer(place.base);
  const former = (await openCluster(place)) === undefined ? {} : { former: current };
  await syncDirectory(join(place.base, name));
  await writePointer(place.base, { current: name, ...former }, place.account);
  await rm(join(place.base, name, UNFINISHED), { force: true });
}

/** Returns when the current database came into use, if the former one is kept. Otherwise returns undefined. */
export async function formerKeptSince(base: string): Promise<Date | undefined> {
  const { former } = await readPointer(base);
  if (former === undefined || !(await isThere(join(base, former, 'cluster')))) return undefined;
  return (await stat(join(base, POINTER_FILE))).mtime;
}

/** Returns undefined if there is no former database. */
export async function switchBack(place: DataPlace): Promise<{ directory: string; kept: string } | undefined> {
  const { current, former } = await readPointer(place.base);
  if (former === undefined || !(await isThere(join(place.base, former, 'cluster')))) return undefined;
  await writePointer(place.base, { current: former, former: current }, place.account);
  return { directory: join(place.base, former), kept: join(place.base, current) };
}

/** The caller must hold the lock on the data directory. */
export async function removeUnfinished(place: DataPlace, binaries: PostgresBinaries): Promise<void> {
  const { current } = await readPointer(place.base);
  const entries = await readdir(place.base, { withFileTypes: true }).catch(() => []);
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const directory = join(place.base, name);
    if (!(await isThere(join(directory, UNFINISHED)))) continue;
    if (name === current) await rm(join(directory, UNFINISHED));
    else await removeStaged({ ...place, directory }, binaries);
  }
}

export async function removeStaged(staged: DataPlace, binaries: PostgresBinaries): Promise<void> {
  const cluster = await openCluster(staged).catch(() => undefined);
  if (cluster !== undefined) await shutDown(cluster, binaries);
  await removeDatabaseFiles(staged.directory);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
