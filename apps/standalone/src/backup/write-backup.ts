import { FORMER_MIGRATIONS } from '@app/installation';

import type { StandaloneSettings } from '@app/installation/settings';

import { keyNameOf } from '../encryption-key.js';
import type { Progress } from '../progress.js';
import { type BackupFiles, type BackupHeader, SERVICE_VERSION, writeBackupFile } from './backup-file.js';
import type { BackupRecord } from './backup-records.js';
import { DatabaseExportStore } from './database-export.store.js';
import { fileRecords, filesDirectory } from './file-bytes.js';

const MIB = 1024 * 1024;

export interface BackupRequest {
  file: string;
  keys: readonly string[];
  includesKeys: boolean;
  sampleAgent: string | undefined;
  /** Where the files of workspaces are, and whether the backup includes their bytes. Undefined: only their rows. */
  files: { settings: Pick<StandaloneSettings, 'dataDir' | 's3'>; included: boolean } | undefined;
}

/**
 * The service can run meanwhile.
 * @throws OperatorError if the file exists or cannot be written
 */
export async function writeBackup(
  databaseUrl: string,
  { file, keys, includesKeys, sampleAgent, files: wanted }: BackupRequest,
  progress: Progress,
): Promise<{ tables: number; rows: number; files: BackupFiles | undefined }> {
  const source = await DatabaseExportStore.open(databaseUrl);
  try {
    const { postgres, migrations, tables, partitions } = source.description;
    const files = wanted && (await filesOf(source, wanted));
    const header: BackupHeader = {
      service_version: SERVICE_VERSION,
      created_at: new Date().toISOString(),
      postgres,
      migrations: migrations.filter((name) => !isFormer(name)),
      encryption_keys: keys.map((key) => keyNameOf(Buffer.from(key, 'base64'))),
      includes_encryption_keys: includesKeys,
      ...(sampleAgent === undefined ? {} : { sample_agent: sampleAgent }),
      ...(files && { files }),
      tables,
      partitions,
    };
    const copied = { tables: tables.length, rows: 0, files };
    let state = '';
    const bytes = async function* (): AsyncGenerator<BackupRecord, void> {
      if (!wanted || !files?.included) return;
      const report = (done: number): void => void (state = `files, ${Math.round(done / MIB)} MiB`);
      yield* fileRecords(filesDirectory(wanted.settings.dataDir), source.fileIds(), report);
    };
    const records = async function* (): AsyncGenerator<BackupRecord, void> {
      if (includesKeys) yield { kind: 'keys', keys: [...keys] };
      const report = (table: string, done: number): void => void (state = `${table}, ${Math.round(done / MIB)} MiB`);
      for await (const record of source.records(report, bytes())) {
        if (record.kind === 'end') copied.rows = record.rows;
        yield record;
      }
    };
    const work = writeBackupFile(file, header, records());
    await progress.during(`copying ${tables.length} tables`, work, () => state);
    return copied;
  } finally {
    await source.close();
  }
}

async function filesOf(
  source: DatabaseExportStore,
  { settings, included }: NonNullable<BackupRequest['files']>,
): Promise<BackupFiles | undefined> {
  const sums = await source.fileSums();
  const storage = settings.s3 ? 's3' : 'disk';
  return sums && { storage, ...sums, included: included && storage === 'disk' };
}

/** A baseline of this release has replaced it, but old databases still record it. */
function isFormer(name: string): boolean {
  return timestampOf(name) <= timestampOf(FORMER_MIGRATIONS.last);
}

function timestampOf(name: string): number {
  return Number(name.slice(-13));
}
