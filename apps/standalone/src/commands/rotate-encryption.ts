import type { StandaloneSettings } from '@app/installation/settings';
import { type MasterKeys, SealedBox } from '@app/platform/crypto';
import { DatabaseModule, Statements } from '@app/platform/database';
import { type ResealProgress, type ResealReport, Resealing } from '@app/platform/resealing';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { keptEncryptionKeys, keyFile, keyNameOf, newEncryptionKey, writeEncryptionKeys } from '../encryption-key.js';
import { keyOfRunningStart } from '../instance-record.js';
import { CommandRefused } from './command-refused.js';
import type { CommandOutput, OperatorCommand } from './operator-command.js';
import { SEALED_TABLES } from './sealed-tables.js';

/** `npm run keys -- rotate-encryption`: reseals all values of previous keys with the current key. */
export const rotateEncryption: OperatorCommand<object> = {
  usage: `npm run keys -- rotate-encryption

Seals every stored secret again with the current key, beside the running service. It may be stopped at any moment: the next
call goes on.

With ENCRYPTION_KEY: set it to a new key and ENCRYPTION_KEYS_PREVIOUS to the old one, restart the service, call this.
With the key that npm start keeps in DATA_DIR: call this, restart npm start, call it again.
It says when the previous key may be dropped.`,

  read: (args) => (args.length === 1 ? {} : { mistake: `"rotate-encryption" takes nothing else.` }),

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
        `Left as it is, since no key opens it; it is data of people that looks sealed: ${listed(report.lookalikes)}.`,
      );
    }
    return {
      note: `${report.renewed} rows were sealed again; nothing is left that a previous key has sealed.`,
      result: kept
        ? `The previous key was dropped from ${keyFile(settings.dataDir)}.`
        : 'The previous key may be dropped: remove it from ENCRYPTION_KEYS_PREVIOUS.',
    };
  },
};

function fromEnvironment({ encryptionKey, previousEncryptionKeys, dataDir }: StandaloneSettings): MasterKeys {
  if (encryptionKey) return [encryptionKey, ...previousEncryptionKeys];
  throw new CommandRefused(`There is no key: ENCRYPTION_KEY is not set, and ${keyFile(dataDir)} does not exist.`);
}

function fromFile([current, ...previous]: readonly [string, ...string[]], settings: StandaloneSettings): MasterKeys {
  const bytes = (key: string) => Buffer.from(key, 'base64');
  return [bytes(current), ...previous.map(bytes), ...settings.previousEncryptionKeys];
}

function restartFirst({ dataDir, encryptionKey }: StandaloneSettings): CommandOutput {
  const note = encryptionKey
    ? 'The service that runs seals with another key than ENCRYPTION_KEY.'
    : `A new key stands in ${keyFile(dataDir)}, in front of the old one. Nothing is sealed with it before the service knows it.`;
  return { note, result: 'Restart the service, then call this again.' };
}

/** Built at run time, once the database's address is known. */
@Module({})
class ResealingModule {}

async function reseal(
  databaseUrl: string,
  keys: MasterKeys,
  tell: (progress: ResealProgress) => void,
): Promise<ResealReport> {
  const database = DatabaseModule.of({ url: databaseUrl, poolSize: 1, applicationName: 'rotate-encryption' });
  const root = { module: ResealingModule, imports: [database] };
  const context = await NestFactory.createApplicationContext(root, { logger: ['error'] });
  try {
    const statements = context.get(Statements, { strict: false });
    return await new Resealing(statements, new SealedBox(keys), SEALED_TABLES).run(tell);
  } finally {
    await context.close();
  }
}

function wordsOf({ table, pass, read, renewed, done }: ResealProgress): string {
  return `pass ${pass}, ${table}: ${read} rows looked at, ${renewed} sealed again${done ? '' : ' …'}`;
}

function assertDone({ complete, unreadable }: ResealReport, place: string): void {
  if (!complete) {
    throw new CommandRefused(
      'A process of the service goes on sealing with a previous key. Restart all of them with the new one, then call this again. Keep the previous key.',
    );
  }
  if (unreadable.size === 0) return;
  throw new CommandRefused(
    `Some values open with none of the keys: ${listed(unreadable)}. Add the key that sealed them to ${place}, then call this again. Keep the previous keys.`,
  );
}

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([table, count]) => `${table} (${count})`).join(', ');
}
