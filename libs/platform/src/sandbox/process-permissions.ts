import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const FLAGS = ['--permission', '--experimental-permission'];

/**
 * The permission model does not limit network connections before Node.js 25, and signals never; see docs/security.md.
 * @param entry path of the first module of the process
 */
export function permissionOptions(entry: string, folder: string | undefined): string[] {
  const { allowedNodeEnvironmentFlags: known } = process;
  const model = FLAGS.find((flag) => known.has(flag));
  if (model === undefined) return [];
  const own = folder === undefined ? [] : places(folder + sep);
  return [
    model,
    ...[...codeOf(entry), ...own].map((path) => `--allow-fs-read=${path}`),
    ...own.map((path) => `--allow-fs-write=${path}`),
    ...(known.has('--allow-net') ? ['--allow-net'] : []),
  ];
}

/** The folder of the service also contains its data by default, so the options name its parts. */
function codeOf(entry: string): string[] {
  let root = dirname(entry);
  while (!existsSync(join(root, 'node_modules')) && dirname(root) !== root) root = dirname(root);
  return [join(root, 'dist') + sep, join(root, 'node_modules') + sep, join(root, 'package.json')].flatMap(places);
}

/** The model compares the resolved path, so a path that contains a link is also named as what it resolves to. */
function places(path: string): string[] {
  if (!existsSync(path)) return [];
  const real = realpathSync(path) + (path.endsWith(sep) ? sep : '');
  return real === path ? [path] : [path, real];
}
