import { rm } from 'node:fs/promises';

/** The last retry comes eleven seconds after the first attempt: the pause grows by `retryDelay` each time. */
const RETRIES = { maxRetries: 10, retryDelay: 200 };

/**
 * Removes the folder of a database that is not in use. If a command was killed, its `initdb` continues for some seconds
 * and creates files in folders that are being removed, so the removal is retried.
 */
export async function removeDatabaseFiles(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, ...RETRIES });
}
