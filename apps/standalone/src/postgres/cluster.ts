import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { type Account, handOver, runAs } from './account.js';
import type { PostgresBinaries } from './binaries.js';
import type { DataPlace } from './data-place.js';

/**
 * Pauses between the attempts to remove a folder. Each pause is `retryDelay` milliseconds longer than the one before,
 * so all pauses take eleven seconds.
 */
const RETRIES = { maxRetries: 10, retryDelay: 200 };

export interface Cluster {
  directory: string;
  major: number;
  account: Account | undefined;
  password: string;
  portFile: string;
  logFile: string;
}

export async function openCluster(place: DataPlace): Promise<Cluster | undefined> {
  const directory = join(place.directory, 'cluster');
  if ((await stat(directory).catch(() => undefined)) === undefined) return undefined;
  const password = (await readFile(join(place.directory, 'password'), 'utf8')).trim();
  return {
    directory,
    major: Number(await readFile(join(directory, 'PG_VERSION'), 'utf8')),
    account: place.account,
    password,
    portFile: join(place.directory, 'port'),
    logFile: join(place.directory, 'server.log'),
  };
}

/**
 * An interrupted initdb leaves no partial cluster, because the cluster gets its final path with a rename.
 * @param durable false skips the final sync to disk (for tests)
 */
export async function createCluster(place: DataPlace, binaries: PostgresBinaries, durable: boolean): Promise<Cluster> {
  for (const entry of await readdir(place.directory)) {
    if (entry.startsWith('cluster.new')) await removeDatabaseFiles(join(place.directory, entry));
  }
  const fresh = join(place.directory, `cluster.new.${process.pid}`);
  const password = randomBytes(24).toString('base64url');
  const passwordFile = join(place.directory, 'password');
  await writePrivate(passwordFile, password, place.account);
  await initialise(fresh, passwordFile, place.account, binaries, durable);
  await rename(fresh, join(place.directory, 'cluster'));
  const cluster = await openCluster(place);
  if (cluster === undefined)
    throw new Error(`${place.directory} was deleted while its database was being created. Start again.`);
  return cluster;
}

async function initialise(
  directory: string,
  passwordFile: string,
  account: Account | undefined,
  binaries: PostgresBinaries,
  durable: boolean,
): Promise<void> {
  await mkdir(directory);
  await handOver(directory, account, 0o700);
  const failures: string[] = [];
  // LC_CTYPE defines which characters are letters in text search. Several names are tried, because the UTF-8 locale has
  // another name on macOS and is missing in some images.
  for (const letters of ['C.UTF-8', 'UTF-8', 'C']) {
    const outcome = await runAs(account, binaries.initdb, [
      `--pgdata=${directory}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      `--lc-ctype=${letters}`,
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ]);
    if (outcome.code === 0) return;
    failures.push(outcome.text);
    if (!/locale/i.test(outcome.text)) break;
  }
  throw new Error(`initdb could not create the database in ${directory}: ${failures.at(-1) ?? ''}`);
}

/** Retries, because the `initdb` of a killed command continues for some seconds and creates files in the folder. */
export async function removeDatabaseFiles(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, ...RETRIES });
}

export async function settlePort(cluster: Cluster, wanted: number | undefined): Promise<number> {
  const remembered = Number(await readFile(cluster.portFile, 'utf8').catch(() => ''));
  for (const candidate of [wanted ?? 0, remembered]) {
    if (candidate > 0 && (await freePort(candidate)) !== undefined) return keepPort(cluster, candidate);
  }
  return chooseOtherPort(cluster);
}

export async function chooseOtherPort(cluster: Cluster): Promise<number> {
  const port = await freePort(0);
  if (port === undefined) throw new Error('PostgreSQL cannot start, because no port is free on 127.0.0.1.');
  return keepPort(cluster, port);
}

async function keepPort(cluster: Cluster, port: number): Promise<number> {
  await writePrivate(cluster.portFile, String(port), cluster.account);
  return port;
}

/** If this process is root, it changes the owner of the file, because the account could not read a file of root. */
async function writePrivate(file: string, line: string, account: Account | undefined): Promise<void> {
  await writeFile(file, `${line}\n`, { mode: 0o600 });
  await handOver(file, account, 0o600);
}

function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = probe.address();
      const found = typeof address === 'object' && address !== null ? address.port : undefined;
      probe.close(() => resolve(found));
    });
  });
}
