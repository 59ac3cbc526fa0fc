import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from './repository-root.js';

const CACHE = join(REPOSITORY_ROOT, 'node_modules/.cache/node-releases');

/**
 * The path of a Node binary of another release, from the npm package `node`. It is installed once for each
 * installation of the packages of this repository.
 */
export async function nodeOfRelease(version: string): Promise<string> {
  const folder = join(CACHE, version);
  const binary = join('node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(join(folder, binary))) return join(folder, binary);
  await mkdir(CACHE, { recursive: true });
  const temporary = await mkdtemp(join(CACHE, `${version}-`));
  // The package installs the binary of this platform with a script.
  await writeFile(join(temporary, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const flags = ['--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)(npm, ['install', ...flags, `node@${version}`], { cwd: temporary });
  // Another test may have been faster.
  await rename(temporary, folder).catch(() => rm(temporary, { recursive: true, force: true }));
  return join(folder, binary);
}
