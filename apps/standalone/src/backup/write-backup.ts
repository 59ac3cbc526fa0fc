import { FORMER_MIGRATIONS } from '@app/installation';

import { keyNameOf } from '../encryption-key.js';
import type { Progress } from '../progress.js';
import { type BackupHeader, SERVICE_VERSION, writeBackupFile } from './backup-file.js';
import type { BackupRecord } from './backup-records.js';
import { DatabaseExportStore } from './database-export.store.js';

const MIB = 1024 * 1024;

export interface BackupRequest {
  file: string;
  keys: readonly string[];
  includesKeys: boolean;
  sampleAgent: string | undefined;
}

/**
 * The service can run meanwhile.
 * @throws OperatorError if the file exists or cannot be written
 */
export async function writeBackup(
  databaseUrl: string,
  { file, keys, includesKeys, sampleAgent }: BackupRequest,
  progress: Progress,
): Promise<{ tables: number; rows: number }> {
  const source = await DatabaseExportStore.open(databaseUrl);
  try {
    const { postgres, migrations, tables, partitions } = source.description;
    const header: BackupHeader = {
      service_version: SERVICE_VERSION,
      created_at: new Date().toISOString(),
      postgres,
      migrations: migrations.filter((name) => !isFormer(name)),
      encryption_keys: keys.map((key) => keyNameOf(Buffer.from(key, 'base64'))),
      includes_encryption_keys: includesKeys,
      ...(sampleAgent === undefined ? {} : { sample_agent: sampleAgent }),
      tables,
      partitions,
    };
    const copied = { tables: tables.length, rows: 0 };
    let state = '';
    const records = async function* (): AsyncGenerator<BackupRecord, void> {
      if (includesKeys) yield { kind: 'keys', keys: [...keys] };
      for await (const record of source.records(
        (table, bytes) => (state = `${table}, ${Math.round(bytes / MIB)} MiB`),
      )) {
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

/** This release has replaced such migrations with baselines, but old databases still record them. */
function isFormer(name: string): boolean {
  return timestampOf(name) <= timestampOf(FORMER_MIGRATIONS.last);
}

function timestampOf(name: string): number {
  return Number(name.slice(-13));
}
