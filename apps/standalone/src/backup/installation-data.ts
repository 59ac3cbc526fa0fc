import { join, resolve } from 'node:path';

import type { StandaloneSettings } from '@app/installation/settings';
import { childEnvironment } from '@app/platform/config';

import { makeDataDirectory } from '../data-directory.js';
import { findEmbeddedPostgres, servePlace } from '../embedded-postgres.js';
import { databaseOfRunningStart, InstanceRecord } from '../instance-record.js';
import { OperatorError } from '../operator-error.js';
import { closeDirectory } from '../postgres/account.js';
import { findBinaries } from '../postgres/binaries.js';
import { type Cluster, openCluster } from '../postgres/cluster.js';
import { currentPlace, type DataPlace } from '../postgres/data-place.js';
import type { Progress } from '../progress.js';
import { filesDirectory } from './file-bytes.js';
import type { RestorePlace } from './restore-database.js';

export function databaseDirectory({ dataDir }: StandaloneSettings): string {
  return join(dataDir, 'postgres');
}

/** Returns where a restore puts the data. `prefix` is the beginning of the name of the new database. */
export function restorePlace(settings: StandaloneSettings, prefix: string): RestorePlace {
  const files = settings.s3 ? undefined : filesDirectory(settings.dataDir);
  return { databases: databaseDirectory(settings), files, prefix };
}

/** @throws OperatorError if the installation uses an external database */
export function assertEmbedded({ databaseUrl }: StandaloneSettings): void {
  if (databaseUrl === undefined) return;
  throw new OperatorError(
    'DATABASE_URL is set, but this command works only with the embedded database. Use pg_dump and pg_restore of your server (docs/operations.md), or unset DATABASE_URL.',
  );
}

export function pathFromUser(path: string): string {
  return resolve(childEnvironment()['INIT_CWD'] ?? '.', path);
}

/** @throws OperatorError if the directory is in use. The message names the start or the command that uses it. */
export async function withInstallation<T>(
  { dataDir }: StandaloneSettings,
  command: string,
  progress: Progress,
  work: () => Promise<T>,
): Promise<T> {
  await makeDataDirectory(dataDir);
  const record = await InstanceRecord.takeFor(dataDir, command, (line) => progress.say(line));
  try {
    await closeDirectory(dataDir, (await currentPlace(join(dataDir, 'postgres'))).account);
    return await work();
  } finally {
    await record.release();
  }
}

/** @throws OperatorError if the installation has no database yet */
export async function existingDatabase(settings: StandaloneSettings): Promise<{ place: DataPlace; cluster: Cluster }> {
  const place = await currentPlace(databaseDirectory(settings));
  const cluster = await openCluster(place);
  if (cluster !== undefined) return { place, cluster };
  throw new OperatorError(
    `${settings.dataDir} contains no database. Set DATA_DIR to the directory of the installation.`,
  );
}

/**
 * If the database server is not running, starts it for the duration of `work`.
 * @throws OperatorError if the installation has no database
 */
export async function withDatabase<T>(
  settings: StandaloneSettings,
  command: string,
  progress: Progress,
  work: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const { dataDir } = settings;
  const { place } = await existingDatabase(settings);
  const running = (await databaseOfRunningStart(dataDir)) ?? (await findEmbeddedPostgres(databaseDirectory(settings)));
  if (running !== undefined) return work(running);
  return withInstallation(settings, command, progress, async () => {
    const log = (line: string) => progress.say(line);
    const postgres = await servePlace(place, await findBinaries(place.account, log), { log });
    try {
      return await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  });
}
