import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { errorText } from '@app/kernel';
import type { StandaloneSettings } from '@app/installation/settings';

import { BackupFile } from '../backup/backup-file.js';
import {
  assertEmbedded,
  databaseDirectory,
  pathFromUser,
  restorePlace,
  withInstallation,
} from '../backup/installation-data.js';
import { restoreDatabase, type RestoredDatabase } from '../backup/restore-database.js';
import { assertNotNewer, keysAfterRestore } from '../backup/restorable.js';
import { returnToFormer } from '../backup/return-to-former.js';
import { writeEncryptionKeys } from '../encryption-key.js';
import { OperatorError } from '../operator-error.js';
import { openCluster } from '../postgres/cluster.js';
import { currentPlace } from '../postgres/data-place.js';
import { Progress } from '../progress.js';
import { recordSample } from '../sample.js';
import { type CommandOutput, type InstallationCommand, stopSignal } from './operator-command.js';

type RestoreRequest = { file: string; replaces: boolean } | { undo: true };

export const restore: InstallationCommand<RestoreRequest> = {
  usage: `npm run restore -- <file> [--replace]
npm run restore -- --undo

Loads a backup into a new database in DATA_DIR (default .data), and puts it into use at the end. Stop the service first.
If the command is stopped or killed before the end, it has changed nothing.

  --replace   needed if DATA_DIR has a database. That database is kept.
  --undo      uses the database from before the restore again. The restored database is kept, so a second --undo
              returns to it.

The stored secrets need the encryption key of the original installation: in the backup (--with-encryption-key), in
DATA_DIR/encryption.key, or in ENCRYPTION_KEY. See docs/backup.md.`,

  read: readArguments,

  async run(request, { settings, say }) {
    assertEmbedded(settings);
    const progress = new Progress((text) => say(text.trimEnd()));
    const signal = stopSignal();
    return withInstallation(settings, 'npm run restore', progress, async () => {
      if ('undo' in request) return returnToFormer(settings);
      await assertReplaceable(settings, request.replaces);
      const file = await progress.during(`checking ${request.file}`, BackupFile.open(request.file));
      assertNotNewer(request.file, file.header);
      const keys = await keysAfterRestore(settings, file);
      if (keys !== undefined) await writeEncryptionKeys(settings.dataDir, keys);
      const restored = await restoreDatabase(restorePlace(settings, 'restored'), file, progress, signal);
      await restoreSample(settings, file);
      return describe(settings, file, restored);
    });
  },
};

async function assertReplaceable(settings: StandaloneSettings, replaces: boolean): Promise<void> {
  const cluster = await openCluster(await currentPlace(databaseDirectory(settings)));
  if (cluster === undefined || replaces) return;
  throw new OperatorError(
    `${settings.dataDir} already has a database. Add --replace to use the backup instead (the current database is kept), or set DATA_DIR to another directory.`,
  );
}

/** With this file, a start permits the sample agent to call the API of the service. */
async function restoreSample({ dataDir }: StandaloneSettings, { header }: BackupFile): Promise<void> {
  const exists = await stat(join(dataDir, 'sample.json')).catch(() => undefined);
  if (header.sample_agent !== undefined && exists === undefined) await recordSample(dataDir, header.sample_agent);
}

async function describe(
  { dataDir }: StandaloneSettings,
  { header }: BackupFile,
  { tables, rows, former }: RestoredDatabase,
): Promise<CommandOutput> {
  const hasAdminKey = (await readFile(join(dataDir, 'admin.key'), 'utf8').catch(() => '')) !== '';
  const lines = [
    `${rows} rows of ${tables} tables were restored, as of ${header.created_at}.`,
    ...(former === undefined
      ? []
      : [`The database from before is kept in ${former}. "npm run restore -- --undo" uses it again.`]),
    hasAdminKey
      ? 'If admin.key belongs to another installation, "npm run keys -- create --admin" creates a key.'
      : 'A backup contains no API keys, only their hashes. While the service runs, "npm run keys -- create --admin" creates one.',
  ];
  return { note: lines.join('\n'), result: `Restored into ${dataDir}. Start the service with "npm start".` };
}

function readArguments(args: readonly string[]): RestoreRequest | { mistake: string } {
  const parsed = parse(args);
  if ('mistake' in parsed) return parsed;
  const { values, positionals } = parsed;
  const [file, ...more] = positionals;
  if (values.undo) {
    const isAlone = file === undefined && !values.replace;
    return isAlone ? { undo: true } : { mistake: '--undo takes neither a file nor another option.' };
  }
  if (file === undefined || more.length > 0) return { mistake: 'Give one path: the backup to restore.' };
  return { file: pathFromUser(file), replaces: values.replace };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { replace: { type: 'boolean', default: false }, undo: { type: 'boolean', default: false } },
    });
  } catch (error) {
    return { mistake: errorText(error) };
  }
}
