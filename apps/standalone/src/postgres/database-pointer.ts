import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { type Account, handOver } from './account.js';

/**
 * Names the database in use (`current`) and the one that was in use before (`former`). Both are paths relative to the
 * directory `base`. `.` is the first database, whose files are in `base` itself.
 */
export interface DatabasePointer {
  current: string;
  former?: string;
}

export const POINTER_FILE = 'current.json';

/** If its file does not exist, the first database is in use. */
export async function readPointer(base: string): Promise<DatabasePointer> {
  const text = await readFile(join(base, POINTER_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? { current: '.' } : (JSON.parse(text) as DatabasePointer);
}

/** After a crash, either the old or the new database is in use. */
export async function writePointer(
  base: string,
  pointer: DatabasePointer,
  account: Account | undefined,
): Promise<void> {
  const fresh = join(base, `${POINTER_FILE}.new`);
  const file = await open(fresh, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(pointer)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await handOver(fresh, account, 0o600);
  await rename(fresh, join(base, POINTER_FILE));
  await syncDirectory(base);
}

/** Makes renames in a directory durable. Does nothing on systems that cannot open a directory. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
