import { rm } from 'node:fs/promises';

/**
 * Each pause is `retryDelay` milliseconds longer than the one before. The last attempt is eleven seconds after the
 * first.
 */
const RETRIES = { maxRetries: 10, retryDelay: 200 };

/**
 * Removes the folder of a database that is not in use. Retries, because the `initdb` of a killed command continues for
 * some seconds and creates files in the folder.
 */
export async function removeDatabaseFiles(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, ...RETRIES });
}
