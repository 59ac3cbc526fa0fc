import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { errorText } from '@app/kernel';
import { childEnvironment } from '@app/platform/config';

import { OperatorError } from '../operator-error.js';
import type { Account } from '../postgres/account.js';
import { findBinaries, packageName, type PostgresBinaries } from '../postgres/binaries.js';

/** Before package.json moves to a new major version, add the current version here. */
export const FORMER_VERSIONS: Readonly<Record<number, string>> = {
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Replaces the files that an interrupted call has left there.
 * @throws OperatorError if this release does not know the version, or npm cannot install it
 */
export async function installFormer(major: number, folder: string): Promise<string> {
  const version = FORMER_VERSIONS[major];
  if (version === undefined) {
    throw new OperatorError(
      `This release cannot read a database of PostgreSQL ${major}. Make a backup with the release that created the database ("npm run backup"), and restore the backup with this release.`,
    );
  }
  const name = packageName();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [program, ...args] = npm();
  const options = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    await promisify(execFile)(program, [...args, 'install', ...options, `${name}@${version}`], {
      cwd: folder,
      env: childEnvironment(),
      maxBuffer: MAX_OUTPUT_BYTES,
      windowsHide: true,
      shell: program.endsWith('.cmd'),
    });
  } catch (cause) {
    throw new OperatorError(
      `npm cannot install ${name}@${version}, which is needed to read the current database: ${errorText(cause)}. If this machine cannot reach the npm registry, unpack the package and give its folder with --former-postgres.`,
      { cause },
    );
  }
  return join(folder, 'node_modules', ...name.split('/'));
}

export async function formerBinaries(
  major: number,
  packageRoot: string,
  account: Account | undefined,
  log: (line: string) => void,
): Promise<PostgresBinaries> {
  const binaries = await findBinaries(account, log, packageRoot);
  if (binaries.major === major) return binaries;
  throw new OperatorError(
    `${packageRoot} has PostgreSQL ${binaries.major}, and the database is of PostgreSQL ${major}. Give the folder of that version.`,
  );
}

function npm(): [string, ...string[]] {
  const script = childEnvironment()['npm_execpath'];
  if (script?.endsWith('npm-cli.js')) return [process.execPath, script];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}
