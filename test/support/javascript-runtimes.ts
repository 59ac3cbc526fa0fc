import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from './repository-root.js';

const CACHE = join(REPOSITORY_ROOT, 'node_modules/.cache/javascript-runtimes');
export const RECOMMENDED_NODE = '24.21.0';
const IS_WINDOWS = process.platform === 'win32';

/** npm packages that contain a JavaScript runtime, with the path of the binary in the package. */
const BINARIES = {
  node: IS_WINDOWS ? 'bin/node.exe' : 'bin/node',
  deno: IS_WINDOWS ? 'deno.exe' : 'deno',
  // The package of Bun uses this file name on every platform.
  bun: 'bin/bun.exe',
};

export type RuntimeName = keyof typeof BINARIES;

/**
 * Returns the absolute path of the binary of a JavaScript runtime. The first call installs the runtime from npm into a
 * subfolder of `cache`. Later calls use the installed one.
 */
export async function runtimeBinary(name: RuntimeName, version: string, cache = CACHE): Promise<string> {
  const folder = join(cache, `${name}-${version}`);
  const binary = join('node_modules', name, BINARIES[name]);
  if (existsSync(join(folder, binary))) return join(folder, binary);
  await mkdir(cache, { recursive: true });
  const temporary = await mkdtemp(join(cache, `${name}-${version}-`));
  // npm must be allowed to run the install script of the package, because the script installs the binary for this
  // platform.
  await writeFile(join(temporary, 'package.json'), JSON.stringify({ private: true, allowScripts: { [name]: true } }));
  const npm = IS_WINDOWS ? 'npm.cmd' : 'npm';
  const flags = ['--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)(npm, ['install', ...flags, `${name}@${version}`], { cwd: temporary });
  // Tests that run as root start this binary under other accounts, but `mkdtemp` makes the folder private.
  await chmod(temporary, 0o755);
  // The rename fails if another test has installed the same release in the meantime. Then this copy is removed.
  await rename(temporary, folder).catch(() => rm(temporary, { recursive: true, force: true }));
  return join(folder, binary);
}
