import { rm } from 'node:fs/promises';

/** The pause grows by `retryDelay` each time, so the last attempt is eleven seconds after the first one. */
const RETRIES = { maxRetries: 10, retryDelay: 200 };

/**
 * Removes the folder of a database that is not in use. Retries, because the `initdb` of a killed command continues for
 * some seconds and creates files in the folder.
 */
export async function removeDatabaseFiles(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, ...RETRIES });
}
