import { randomBytes } from 'node:crypto';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { StandaloneSettings } from '@app/installation/settings';
import { SealedBox } from '@app/platform/crypto';

import { OperatorError } from './operator-error.js';
import { syncDirectory } from './postgres/database-pointer.js';

/**
 * Encryption keys of 32 bytes each, in base64. The service seals with the first one. The others only open existing
 * values.
 */
export type KeptKeys = readonly [current: string, ...previous: string[]];

/**
 * Creates the file on the first start.
 * @throws OperatorError if a database exists without a key file, because a new key could not open the secrets of the
 * database
 */
export async function keepEncryptionKeys(dataDir: string): Promise<KeptKeys> {
  const kept = await keptEncryptionKeys(dataDir);
  if (kept !== undefined) return kept;
  if (await stat(join(dataDir, 'postgres')).catch(() => undefined)) {
    throw new OperatorError(
      `${keyFile(dataDir)} is missing, but ${dataDir} contains a database. Restore the file, or set ENCRYPTION_KEY to the key that this database uses.`,
    );
  }
  const keys: KeptKeys = [newEncryptionKey()];
  await writeEncryptionKeys(dataDir, keys);
  return keys;
}

export async function keptEncryptionKeys(dataDir: string): Promise<KeptKeys | undefined> {
  const text = await readFile(keyFile(dataDir), 'utf8').catch(() => '');
  const [current, ...previous] = text.split('\n').flatMap((line) => line.trim() || []);
  return current === undefined ? undefined : [current, ...previous];
}

/** After a crash, the file has either the old or the new content. */
export async function writeEncryptionKeys(dataDir: string, keys: KeptKeys): Promise<void> {
  const fresh = `${keyFile(dataDir)}.new`;
  const file = await open(fresh, 'w', 0o600);
  try {
    await file.writeFile(`${keys.join('\n')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, keyFile(dataDir));
  // Makes the rename durable. A crash could otherwise lose a key with which values are already sealed.
  await syncDirectory(dataDir);
}

/** ENCRYPTION_KEY replaces the key file. */
export async function knownEncryptionKeys({
  encryptionKey,
  previousEncryptionKeys,
  dataDir,
}: StandaloneSettings): Promise<string[]> {
  const current = encryptionKey ? [encryptionKey.toString('base64')] : ((await keptEncryptionKeys(dataDir)) ?? []);
  return [...current, ...previousEncryptionKeys.map((key) => key.toString('base64'))];
}

export function newEncryptionKey(): string {
  return randomBytes(32).toString('base64');
}

export function keyFile(dataDir: string): string {
  return join(dataDir, 'encryption.key');
}

/** Every sealed value begins with this name. */
export function keyNameOf(key: Buffer): string {
  return new SealedBox([key]).currentPrefix.toString('hex');
}
