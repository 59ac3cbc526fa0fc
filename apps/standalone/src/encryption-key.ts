import { randomBytes } from 'node:crypto';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { SealedBox } from '@app/platform/crypto';

import { StartRefused } from './start-refused.js';

/** Keys of 32 bytes, base64: the first seals, the others open what was sealed before. */
export type KeptKeys = readonly [current: string, ...previous: string[]];

/**
 * The installation's own keys, one a line in `DATA_DIR/encryption.key`, readable by its owner only; made on the first start.
 * Where a database exists but its key is gone, the start is refused: with a new key every stored secret would be unreadable.
 */
export async function keepEncryptionKeys(dataDir: string): Promise<KeptKeys> {
  const kept = await keptEncryptionKeys(dataDir);
  if (kept !== undefined) return kept;
  if (await stat(join(dataDir, 'postgres')).catch(() => undefined)) {
    throw new StartRefused(
      `${keyFile(dataDir)} is missing, although ${dataDir} holds a database. Restore the file, or set ENCRYPTION_KEY to the key it was started with.`,
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

/** Whoever is killed leaves the old file or the new one, never half of one. */
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
  await settle(dataDir);
}

/** The new name is on the disk before anything is sealed with the new key. Not every system lets a directory be opened. */
async function settle(directory: string): Promise<void> {
  const handle = await open(directory, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

export function newEncryptionKey(): string {
  return randomBytes(32).toString('base64');
}

export function keyFile(dataDir: string): string {
  return join(dataDir, 'encryption.key');
}

/** Tells keys apart without saying anything about them: what every sealed value begins with. */
export function keyNameOf(key: Buffer): string {
  return new SealedBox([key]).currentPrefix.toString('hex');
}
