import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { type Account, handOver } from './account.js';

/**
 * Which database of a place is in use. Folders are relative to the place; `.` is the database that was made first,
 * which lies in the place itself.
 */
export interface DatabasePointer {
  current: string;
  /** The database that was in use before. */
  former?: string;
}

const FILE = 'current.json';

/** A place without the file uses the database that was made first. */
export async function readPointer(base: string): Promise<DatabasePointer> {
  const text = await readFile(join(base, FILE), 'utf8').catch(() => undefined);
  return text === undefined ? { current: '.' } : (JSON.parse(text) as DatabasePointer);
}

/** Replaces the file atomically and durably: after a crash, the one or the other database is in use. */
export async function writePointer(
  base: string,
  pointer: DatabasePointer,
  account: Account | undefined,
): Promise<void> {
  const fresh = join(base, `${FILE}.new`);
  const file = await open(fresh, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(pointer)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await handOver(fresh, account, 0o600);
  await rename(fresh, join(base, FILE));
  await syncDirectory(base);
}

/** Makes renames in a directory durable. Some systems cannot open a directory. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
