import { rm } from 'node:fs/promises';

/**
 * Pauses between the attempts to remove a folder. Each pause is `retryDelay` milliseconds longer than the one before,
 * so all pauses take eleven seconds.
 */
const RETRIES = { maxRetries: 10, retryDelay: 200 };

/**
 * Removes the folder of a database that is not in use. Retries, because the `initdb` of a killed command continues for
 * some seconds and creates files in the folder.
 */
export async function removeDatabaseFiles(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, ...RETRIES });
}
