import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errorCode } from './postgres/error-code.js';
import { StartRefused } from './start-refused.js';

/** What to do about each error code of a directory. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'is a file, and a directory is needed',
  ENOTDIR: 'is below a file, and a directory is needed',
  EACCES: 'may not be written to by this account',
  EPERM: 'may not be written to by this account',
  EROFS: 'is on a file system that may only be read',
  ENOSPC: 'is on a file system that is full',
  ENOENT: 'is on a file system that takes no directories',
};

/**
 * Creates the data directory if missing, accessible only to its owner, and checks that it is writable.
 * @throws StartRefused with one line that begins with the name of the variable
 */
export async function makeDataDirectory(dataDir: string): Promise<void> {
  try {
    await makeDirectories(dataDir);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const code = errorCode(cause) ?? 'unknown error';
    const reason = REASONS[code] ?? `cannot be used (${code})`;
    throw new StartRefused(`DATA_DIR: ${dataDir} ${reason}. Name another one.`, { cause });
  }
}

/** Creates one level at a time, because Node's recursive mkdir never returns on file systems such as /proc. */
async function makeDirectories(directory: string): Promise<void> {
  const parent = dirname(directory);
  if (parent !== directory && !(await isThere(parent))) await makeDirectories(parent);
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !(await stat(directory)).isDirectory()) throw error;
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
