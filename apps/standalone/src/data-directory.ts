import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { OperatorError } from './operator-error.js';
import { errorCode } from './postgres/error-code.js';

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'is a file, not a directory',
  ENOTDIR: 'is below a file, not below a directory',
  EACCES: 'is not writable for this account',
  EPERM: 'is not writable for this account',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'is on a full file system',
  ENOENT: 'is on a file system without directories of this kind',
};

/**
 * Only its owner can access it.
 * @throws OperatorError with one line that begins with the name of the variable
 */
export async function makeDataDirectory(dataDir: string): Promise<void> {
  try {
    await makeDirectories(dataDir);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const code = errorCode(cause) ?? 'unknown error';
    const reason = REASONS[code] ?? `cannot be used (${code})`;
    throw new OperatorError(`DATA_DIR: ${dataDir} ${reason}. Set DATA_DIR to another directory.`, { cause });
  }
}

/** Creates one level at a time, because Node's recursive mkdir hangs on file systems such as /proc. */
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
