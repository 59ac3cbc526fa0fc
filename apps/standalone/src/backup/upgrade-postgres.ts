import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { StandaloneSettings } from '@app/installation/settings';

import { servePlace } from '../embedded-postgres.js';
import { knownEncryptionKeys } from '../encryption-key.js';
import { OperatorError } from '../operator-error.js';
import { findBinaries } from '../postgres/binaries.js';
import type { Progress } from '../progress.js';
import { BackupFile } from './backup-file.js';
import { formerBinaries, installFormer } from './former-binaries.js';
import { existingDatabase, restorePlace } from './installation-data.js';
import { restoreDatabase, type RestoredDatabase } from './restore-database.js';
import { writeBackup } from './write-backup.js';

export interface UpgradedPostgres extends RestoredDatabase {
  from: number;
  to: number;
}

/**
 * The caller must hold the lock on the data directory.
 * @returns undefined if the database already has the current major version
 */
export async function upgradePostgres(
  settings: StandaloneSettings,
  formerPackage: string | undefined,
  progress: Progress,
  signal: AbortSignal,
): Promise<UpgradedPostgres | undefined> {
  const log = (line: string) => progress.say(line);
  const { place, cluster } = await existingDatabase(settings);
  const [from, to] = [cluster.major, (await findBinaries(place.account, log)).major];
  if (from === to) return undefined;
  if (from > to) {
    throw new OperatorError(
      `The database was created by PostgreSQL ${from}, but this release has the older PostgreSQL ${to}. Use the release that created the database, or return to the former database with "npm run upgrade-database -- --undo".`,
    );
  }
  const programs = join(settings.dataDir, `postgres-${from}`);
  const file = join(settings.dataDir, 'upgrade.backup');
  try {
    const root =
      formerPackage ?? (await progress.during(`installing PostgreSQL ${from}`, installFormer(from, programs)));
    const former = await servePlace(place, await formerBinaries(from, root, place.account, log), { log });
    try {
      await rm(file, { force: true });
      const keys = await knownEncryptionKeys(settings);
      const request = { file, keys, includesKeys: false, sampleAgent: undefined, files: undefined };
      await writeBackup(former.url, request, progress);
    } finally {
      await former.stop();
    }
    signal.throwIfAborted();
    const backup = await progress.during('checking the copy', BackupFile.open(file));
    const target = restorePlace(settings, `postgres-${to}`);
    return { from, to, ...(await restoreDatabase(target, backup, progress, signal)) };
  } finally {
    await Promise.all([file, `${file}.partial`, programs].map((path) => rm(path, { recursive: true, force: true })));
  }
}
