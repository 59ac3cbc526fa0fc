import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from './repository-root.js';

const CACHE = join(REPOSITORY_ROOT, 'node_modules/.cache/node-releases');

/**
 * Returns the path of the Node binary of another release. The first call installs it from the npm package `node` into
 * `node_modules/.cache`, and later calls reuse it.
 */
export async function nodeOfRelease(version: string): Promise<string> {
  const folder = join(CACHE, version);
  const binary = join('node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(join(folder, binary))) return join(folder, binary);
  await mkdir(CACHE, { recursive: true });
  const temporary = await mkdtemp(join(CACHE, `${version}-`));
  // npm must run the install script of the package, which installs the binary for this platform.
  await writeFile(join(temporary, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const flags = ['--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)(npm, ['install', ...flags, `node@${version}`], { cwd: temporary });
  // The rename fails if another test has installed the release in the meantime.
  await rename(temporary, folder).catch(() => rm(temporary, { recursive: true, force: true }));
  return join(folder, binary);
}
