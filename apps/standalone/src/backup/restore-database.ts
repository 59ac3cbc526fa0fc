import { createSchemaAt, migrateSchema } from '@app/installation';

import { servePlace } from '../embedded-postgres.js';
import { findBinaries, type PostgresBinaries } from '../postgres/binaries.js';
import { type DataPlace, settleData } from '../postgres/data-place.js';
import { openCluster } from '../postgres/cluster.js';
import { syncDirectory } from '../postgres/database-pointer.js';
import { removeStaged, removeUnfinished, stageDatabase, switchTo } from '../postgres/generations.js';
import { shutDown } from '../postgres/server.js';
import { OperatorError } from '../operator-error.js';
import type { Progress } from '../progress.js';
import type { BackupFile } from './backup-file.js';
import { DatabaseImportStore, type PlaceFile } from './database-import.store.js';
import { markerIn, placeFile } from './file-bytes.js';

/**
 * With `wal_level: minimal`, Postgres writes no WAL for the rows of a table that the same transaction has truncated.
 */
const LOAD_SETTINGS = { wal_level: 'minimal', max_wal_senders: '0', maintenance_work_mem: '128MB', autovacuum: 'off' };
const MIB = 1024 * 1024;
const FILES_IN_BUCKET =
  'The backup contains files of a disk, but FILE_STORAGE is s3 here. Unset FILE_STORAGE, and restore again.';

export interface RestoredDatabase {
  tables: number;
  rows: number;
  directory: string;
  former: string | undefined;
}

export interface RestorePlace {
  /** Folder of the databases. */
  databases: string;
  /** Folder of the files of workspaces. Undefined if they are in a bucket. */
  files: string | undefined;
  /** Beginning of the name of the new folder. */
  prefix: string;
}

/**
 * Also puts the files of the backup in their place. One rename at the end puts the new database into use. The current
 * database therefore stays in use if the restore fails or is killed. The caller must hold the lock on the data directory.
 */
export async function restoreDatabase(
  { databases, files, prefix }: RestorePlace,
  backup: BackupFile,
  progress: Progress,
  signal: AbortSignal,
): Promise<RestoredDatabase> {
  const log = (line: string) => progress.say(line);
  const place = await settleData(databases, log);
  const binaries = await findBinaries(place.account, log);
  await removeUnfinished(place, binaries);
  const name = `${prefix}-${new Date().toISOString().replace(/[^0-9TZ]/g, '')}`;
  const staged = await stageDatabase(place, name);
  try {
    const rows = await fill({ staged, files }, binaries, backup, progress, signal);
    const former = await openCluster(place);
    // If an earlier `npm start` was killed, its database server may still be running.
    if (former !== undefined) await shutDown(former, binaries);
    signal.throwIfAborted();
    await switchTo(place, name);
    const { tables } = backup.header;
    return { tables: tables.length, rows, directory: staged.directory, former: former?.directory };
  } catch (error) {
    await removeStaged(staged, binaries);
    throw error;
  }
}

async function fill(
  { staged, files }: { staged: DataPlace; files: string | undefined },
  binaries: PostgresBinaries,
  backup: BackupFile,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  const { header } = backup;
  const serving = servePlace(staged, binaries, { log: (line) => progress.say(line), settings: LOAD_SETTINGS });
  const postgres = await progress.during('creating a database', serving);
  await progress.during('creating the tables', createSchemaAt(postgres.url, header.migrations));
  signal.throwIfAborted();
  const target = await DatabaseImportStore.open(postgres.url);
  try {
    let state = '';
    const report = (table: string, bytes: number): void => {
      signal.throwIfAborted();
      state = `${table}, ${Math.round(bytes / MIB)} MiB`;
    };
    const place: PlaceFile = async (id, pieces) => {
      if (files === undefined) throw new OperatorError(FILES_IN_BUCKET);
      await placeFile(files, id, pieces);
    };
    const loading = target.load(header, backup.records(), report, place);
    const { rows, sequences } = await progress.during(`loading ${header.tables.length} tables`, loading, () => state);
    await target.setSequences(sequences);
    await progress.during('updating the schema to this release', migrateSchema(postgres.url));
    await target.setSequences(sequences);
    if (files !== undefined) {
      await syncDirectory(files);
      await target.adoptStorage(await markerIn(files));
    }
    await progress.during('analyzing the tables', target.analyze());
    return rows;
  } finally {
    await target.close();
    await postgres.stop();
  }
}
