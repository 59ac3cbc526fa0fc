import { parseArgs } from 'node:util';

import { errorText } from '@app/kernel';

import { assertEmbedded, pathFromUser, withDatabase } from '../backup/installation-data.js';
import type { BackupFiles } from '../backup/backup-file.js';
import { writeBackup } from '../backup/write-backup.js';
import { knownEncryptionKeys } from '../encryption-key.js';
import { Progress } from '../progress.js';
import { recordedSample } from '../sample.js';
import type { InstallationCommand } from './operator-command.js';

interface BackupCommandRequest {
  file: string;
  includesKeys: boolean;
  includesFiles: boolean;
}

export const backup: InstallationCommand<BackupCommandRequest> = {
  usage: `npm run backup -- <file> [--with-encryption-key] [--without-files]

Writes a consistent copy of all data of the embedded database, and the files in DATA_DIR, to a new file. The service may run at the same time. Only
the owner can read the file.

  --with-encryption-key   the file also contains the key that opens the stored secrets. Keep such a file as secret as
                          the key. Without the option, keep encryption.key of DATA_DIR elsewhere.
  --without-files         leaves out the bytes of files, which are encrypted. Files in a bucket are never in the backup.

The data directory is DATA_DIR (default .data). "npm run restore -- <file>" reads the file. See docs/backup.md.`,

  read: readArguments,

  async run({ file, includesKeys, includesFiles }, { settings, say }) {
    assertEmbedded(settings);
    const progress = new Progress((text) => say(text.trimEnd()));
    const request = {
      file,
      keys: await knownEncryptionKeys(settings),
      includesKeys,
      sampleAgent: await recordedSample(settings.dataDir),
      files: { settings, included: includesFiles },
    };
    const { tables, rows, files } = await withDatabase(settings, 'npm run backup', progress, (databaseUrl) =>
      writeBackup(databaseUrl, request, progress),
    );
    const key = includesKeys
      ? 'It contains the encryption key: store it as safely as the key.'
      : 'It does not contain the encryption key: keep encryption.key of DATA_DIR, or ENCRYPTION_KEY, elsewhere.';
    return { result: file, note: `${rows} rows of ${tables} tables were written.${bytesOf(files)} ${key}` };
  },
};

function bytesOf(files: BackupFiles | undefined): string {
  if (files === undefined || files.count === 0) return '';
  if (files.included) return ` The bytes of ${files.count} files are included.`;
  return ` The bytes of ${files.count} files are not included: back up ${files.storage === 's3' ? 'the bucket' : 'the folder files of DATA_DIR'} too.`;
}

function readArguments(args: readonly string[]): BackupCommandRequest | { mistake: string } {
  const parsed = parse(args);
  if ('mistake' in parsed) return parsed;
  const [file, ...more] = parsed.positionals;
  if (file === undefined || more.length > 0) return { mistake: 'Give one path: the file to write.' };
  return {
    file: pathFromUser(file),
    includesKeys: parsed.values['with-encryption-key'],
    includesFiles: !parsed.values['without-files'],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'with-encryption-key': { type: 'boolean', default: false },
        'without-files': { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return { mistake: errorText(error) };
  }
}
