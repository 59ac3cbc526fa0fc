import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { StartRefused } from './start-refused.js';

/**
 * The installation's own key (32 bytes, base64), made on the first start and kept in `DATA_DIR/encryption.key`, readable by its owner only.
 * Where a database exists but its key is gone, the start is refused: with a new key every stored secret would be unreadable.
 */
export async function keepEncryptionKey(dataDir: string): Promise<string> {
  const file = join(dataDir, 'encryption.key');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return kept.trim();
  if (await stat(join(dataDir, 'postgres')).catch(() => undefined)) {
    throw new StartRefused(
      `${file} is missing, although ${dataDir} holds a database. Restore the file, or set ENCRYPTION_KEY to the key it was started with.`,
    );
  }
  const key = randomBytes(32).toString('base64');
  await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}
