import { SEALED_AGENT_TABLES } from '@app/agents';
import { SEALED_CONNECTION_TABLES } from '@app/connections';
import { SEALED_FILE_TABLES } from '@app/files';
import { SEALED_WEBHOOK_TABLES } from '@app/events';
import type { StandaloneSettings } from '@app/installation/settings';
import { type MasterKeys, SealedBox } from '@app/platform/crypto';
import { DatabaseModule, Statements } from '@app/platform/database';
import { type ResealProgress, type ResealReport, Resealing, type SealedTable } from '@app/platform/resealing';
import { SEALED_RUN_TABLES } from '@app/runs';
import { SEALED_MCP_TABLES, SEALED_WORKSPACE_TABLES } from '@app/workspace';
import { NestFactory } from '@nestjs/core';

import { keptEncryptionKeys, keyFile, keyNameOf, newEncryptionKey, writeEncryptionKeys } from '../encryption-key.js';
import { keyOfRunningStart } from '../instance-record.js';
import { OperatorError } from '../operator-error.js';
import type { CommandOutput, OperatorCommand } from './operator-command.js';

/** Small tables come first, so that a wrong key is reported early. */
export const SEALED_TABLES: readonly SealedTable[] = [
  ...SEALED_WORKSPACE_TABLES,
  ...SEALED_MCP_TABLES,
  ...SEALED_AGENT_TABLES,
  ...SEALED_CONNECTION_TABLES,
  ...SEALED_FILE_TABLES,
  ...SEALED_WEBHOOK_TABLES,
  ...SEALED_RUN_TABLES,
];

export const rotateEncryption: OperatorCommand<object> = {
  usage: `npm run keys -- rotate-encryption

Seals every stored secret again with the current key while the service runs. You can stop the command at any time: the
next call continues.

With ENCRYPTION_KEY: set it to a new key and ENCRYPTION_KEYS_PREVIOUS to the old key, restart the service, then run this
command. With the key that npm start keeps in DATA_DIR: run this command, restart npm start, then run it again.
The command reports when you can remove the previous key.`,

  read: (args) => (args.length === 1 ? {} : { mistake: `"rotate-encryption" takes no other argument.` }),

  async run(_, databaseUrl, { settings, say }) {
    const kept = settings.encryptionKey ? undefined : await keptEncryptionKeys(settings.dataDir);
    const keys = kept ? fromFile(kept, settings) : fromEnvironment(settings);
    if (kept?.length === 1) {
      await writeEncryptionKeys(settings.dataDir, [newEncryptionKey(), ...kept]);
      return restartFirst(settings);
    }
    const inUse = await keyOfRunningStart(settings.dataDir);
    if (inUse !== undefined && inUse !== keyNameOf(keys[0])) return restartFirst(settings);
    const report = await reseal(databaseUrl, keys, (progress) => say(wordsOf(progress)));
    assertDone(report, kept === undefined ? 'ENCRYPTION_KEYS_PREVIOUS' : keyFile(settings.dataDir));
    if (kept) await writeEncryptionKeys(settings.dataDir, [kept[0]]);
    if (report.lookalikes.size > 0) {
      say(
        `Not changed: user data that has the form of a sealed value, but that no key opens: ${listed(report.lookalikes)}.`,
      );
    }
    return {
      note: `${report.renewed} rows were sealed again. No stored value needs a previous key.`,
      result: kept
        ? `The previous key was removed from ${keyFile(settings.dataDir)}.`
        : 'You can remove the previous key from ENCRYPTION_KEYS_PREVIOUS.',
    };
  },
};

function fromEnvironment({ encryptionKey, previousEncryptionKeys, dataDir }: StandaloneSettings): MasterKeys {
  if (encryptionKey) return [encryptionKey, ...previousEncryptionKeys];
  throw new OperatorError(
    `No encryption key was found: ENCRYPTION_KEY is not set and ${keyFile(dataDir)} does not exist. Set ENCRYPTION_KEY, or DATA_DIR to the directory of the service.`,
  );
}

function fromFile([current, ...previous]: readonly [string, ...string[]], settings: StandaloneSettings): MasterKeys {
  const bytes = (key: string) => Buffer.from(key, 'base64');
  return [bytes(current), ...previous.map(bytes), ...settings.previousEncryptionKeys];
}

function restartFirst({ dataDir, encryptionKey }: StandaloneSettings): CommandOutput {
  const note = encryptionKey
    ? 'The running service does not use the key in ENCRYPTION_KEY.'
    : `A new key was added to ${keyFile(dataDir)}, before the old one. It is used after the service has restarted.`;
  return { note, result: 'Restart the service, then run this command again.' };
}

async function reseal(
  databaseUrl: string,
  keys: MasterKeys,
  report: (progress: ResealProgress) => void,
): Promise<ResealReport> {
  const database = DatabaseModule.of({ url: databaseUrl, poolSize: 1, applicationName: 'rotate-encryption' });
  const context = await NestFactory.createApplicationContext(database, { logger: ['error'] });
  try {
    const statements = context.get(Statements, { strict: false });
    return await new Resealing(statements, new SealedBox(keys), SEALED_TABLES).run(report);
  } finally {
    await context.close();
  }
}

function wordsOf({ table, pass, read, renewed, done }: ResealProgress): string {
  return `pass ${pass}, ${table}: ${read} rows read, ${renewed} sealed again${done ? '' : ' …'}`;
}

function assertDone({ complete, unreadable }: ResealReport, place: string): void {
  if (!complete) {
    throw new OperatorError(
      'A process of the service still seals with a previous key. Restart all processes with the new key, then run this command again. Keep the previous key.',
    );
  }
  if (unreadable.size === 0) return;
  throw new OperatorError(
    `None of the keys opens these values: ${listed(unreadable)}. Add the key that sealed them to ${place}, then run this command again. Keep the previous keys.`,
  );
}

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([table, count]) => `${table} (${count})`).join(', ');
}
