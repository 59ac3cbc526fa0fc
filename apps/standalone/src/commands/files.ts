import { parseArgs } from 'node:util';

import { createFileStorage, FileStorageStore, FileVerification } from '@app/files';
import type { StandaloneSettings } from '@app/installation/settings';
import { errorText } from '@app/kernel';
import { SealedBox } from '@app/platform/crypto';
import { DatabaseModule, Statements } from '@app/platform/database';
import { NestFactory } from '@nestjs/core';

import { withDatabase } from '../backup/installation-data.js';
import { keyFile, knownEncryptionKeys } from '../encryption-key.js';
import { OperatorError } from '../operator-error.js';
import { Progress } from '../progress.js';
import type { CommandOutput, InstallationCommand } from './operator-command.js';

interface FilesRequest {
  reads: boolean;
}

export const files: InstallationCommand<FilesRequest> = {
  usage: `npm run files -- verify [--content]

Compares the rows of files with their bytes in DATA_DIR or in the bucket. The service may run at the same time. Prints one
line for each difference:

  missing <id>     the file has no bytes
  broken <id>      the bytes are not those of the upload
  orphan <name>    bytes without a file; the service deletes them after a day

Exits with 1 if a file is missing or broken.

  --content   also reads and decrypts every file. Without it, only the sizes are compared.`,

  read: readArguments,

  async run({ reads }, { settings, say }) {
    const progress = new Progress((text) => say(text.trimEnd()));
    const work = (databaseUrl: string) => verify(databaseUrl, settings, reads);
    if (settings.databaseUrl !== undefined) return work(settings.databaseUrl);
    return withDatabase(settings, 'npm run files', progress, work);
  },
};

async function verify(databaseUrl: string, settings: StandaloneSettings, reads: boolean): Promise<CommandOutput> {
  const [current, ...previous] = (await knownEncryptionKeys(settings)).map((key) => Buffer.from(key, 'base64'));
  if (current === undefined) {
    throw new OperatorError(
      `No encryption key was found. Set ENCRYPTION_KEY, or DATA_DIR to the folder of ${keyFile(settings.dataDir)}.`,
    );
  }
  const database = DatabaseModule.of({ url: databaseUrl, poolSize: 1, applicationName: 'verify-files' });
  const context = await NestFactory.createApplicationContext(database, { logger: ['error'] });
  try {
    const table = new FileStorageStore(context.get(Statements, { strict: false }));
    const storage = createFileStorage(settings.dataDir, settings.s3);
    const lines: string[] = [];
    let damaged = 0;
    for await (const { kind, name } of new FileVerification(table, storage, new SealedBox([current, ...previous])).run({
      reads,
    })) {
      lines.push(`${kind} ${name}`);
      if (kind !== 'orphan') damaged++;
    }
    const note = `${damaged} files are missing or broken. ${lines.length - damaged} orphans.`;
    return { result: lines.join('\n'), note, fails: damaged > 0 };
  } finally {
    await context.close();
  }
}

function readArguments(args: readonly string[]): FilesRequest | { mistake: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { content: { type: 'boolean', default: false } },
    });
    if (positionals.join(' ') !== 'verify')
      return { mistake: `The command must be "verify", not "${positionals.join(' ')}".` };
    return { reads: values.content };
  } catch (error) {
    return { mistake: errorText(error) };
  }
}
