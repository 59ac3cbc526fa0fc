import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { type Account, canWrite, handOver, serverAccount } from './account.js';
import { openPlaces } from './open-places.js';

/** Where one cluster lives, and as whom its server runs. */
export interface DataPlace {
  /** Holds `cluster/` (PGDATA), `password`, `port` and `server.log`. */
  directory: string;
  account: Account | undefined;
}

/** Inside the asked-for directory: the path of the place that holds its data instead. */
const MARKER = 'relocated-to';
/** Inside a relocated place: the directory it stands in for. */
const OWNER = 'stands-in-for';

/** The place that a directory's data has now, without making or changing anything. */
export async function currentPlace(dataDir: string): Promise<DataPlace> {
  const marker = await readFile(join(dataDir, MARKER), 'utf8').catch(() => undefined);
  const directory = marker?.trim() ?? dataDir;
  return { directory, account: await serverAccount(join(directory, 'cluster')) };
}

/**
 * The place for the directory's data, made when it is new. It is the directory itself wherever the server's account can work there;
 * below a folder that is closed to this account (only as root) it is a durable system folder, chosen once and remembered by a marker.
 * Rejects with an `Error` for people when existing data cannot be used as it lies.
 */
export async function settleData(dataDir: string, log: (line: string) => void): Promise<DataPlace> {
  await mkdir(dataDir, { recursive: true });
  const place = await currentPlace(dataDir);
  if (place.directory !== dataDir) {
    await claim(place.directory, dataDir);
    return place;
  }
  const cluster = await stat(join(dataDir, 'cluster')).catch(() => undefined);
  const uid = process.getuid?.();
  if (cluster !== undefined && uid !== undefined && uid !== 0 && cluster.uid !== uid) {
    throw new Error(
      `${dataDir} belongs to the account ${cluster.uid}, this is ${uid}. Start as that account or as root, or choose another DATA_DIR.`,
    );
  }
  await handOver(dataDir, place.account, 0o700);
  if (await canWrite(place.account, dataDir)) return place;
  if (cluster !== undefined) {
    throw new Error(
      `The server's account ${place.account?.uid ?? uid} can no longer reach its data in ${dataDir}: a folder above was closed to it.`,
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
    if (earlier.length > 0) log(`of earlier installations at this path ${earlier.join(', ')} remain beside it`);
    return { directory, account };
  }
  throw new Error(
    `Found no folder for the database that the account ${account?.uid ?? ''} can enter. Set DATABASE_URL, or choose another DATA_DIR.`,
  );
}

/** Two directories never share one cluster: a copied marker is refused while the original stands, and a moved directory takes its data along. */
async function claim(directory: string, dataDir: string): Promise<void> {
  if ((await stat(directory).catch(() => undefined)) === undefined) {
    throw new Error(
      `The database of ${dataDir} was kept in ${directory}, which is gone. Restore it, or choose another DATA_DIR.`,
    );
  }
  const path = await realpath(dataDir);
  const owner = (await readFile(join(directory, OWNER), 'utf8').catch(() => path)).trim();
  if (owner === path) return;
  const original = await readFile(join(owner, MARKER), 'utf8').catch(() => '');
  if (original.trim() === directory) {
    throw new Error(
      `${basename(dataDir)} is a copy of ${owner}, and its database in ${directory} cannot serve both. Remove the copy's ${MARKER}, or choose another DATA_DIR.`,
    );
  }
  await writeFile(join(directory, OWNER), path, { mode: 0o600 });
}
