/**
 * `npm run structure`: measures the structure of the code and prints it as JSON.
 * `test/boundaries/structure.int-spec.ts` compares the result with the known violations, whose list may only become
 * shorter.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { counts, providersByModule } from './counts.mjs';
import { folderCycles } from './folder-cycles.mjs';
import { quadraticSql } from './quadratic-sql.mjs';
import { sharedNames } from './shared-names.mjs';
import { foreignSql } from './sql-ownership.mjs';

const ROOTS = ['apps', 'libs', 'packages'];
const IGNORED = new Set(['node_modules', 'dist', '.data']);
const READ = /\.(ts|tsx|mjs|sql)$/;
const TEST_CODE = /\.(spec|int-spec|e2e-spec|browser-spec)\.tsx?$|\/testing\//;
const MAX_PROVIDERS = 15;

const root = process.cwd();
const files = [...(await productFiles()), { path: '.env.example', text: await readText('.env.example') }];
const { modules, summary } = await cruise();
const code = files.filter(({ path }) => !/\/migrations\//.test(path));
process.stdout.write(
  `${JSON.stringify(
    {
      folderCycles: folderCycles(modules),
      foreignSql: foreignSql(files, allowedImports(summary.ruleSetUsed.forbidden)),
      largeModules: Object.fromEntries(
        Object.entries(providersByModule(code)).filter(([, providers]) => providers > MAX_PROVIDERS),
      ),
      quadraticSql: quadraticSql(files),
      sharedNames: sharedNames((await Promise.all([...ROOTS, 'test'].map(filesBelow))).flat()),
      counts: counts(code),
    },
    null,
    2,
  )}\n`,
);

async function productFiles() {
  const found = await Promise.all(ROOTS.map((folder) => filesBelow(folder)));
  const paths = found.flat().filter((path) => READ.test(path) && !TEST_CODE.test(path));
  return Promise.all(paths.sort().map(async (path) => ({ path, text: await readText(path) })));
}

async function filesBelow(folder) {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .filter(({ name }) => !IGNORED.has(name))
      .map((entry) => (entry.isDirectory() ? filesBelow(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`])),
  );
  return found.flat();
}

function readText(path) {
  return readFile(join(root, path), 'utf8').catch(() => '');
}

async function cruise() {
  const program = join(import.meta.dirname, '../../node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const present = await Promise.all(
    ROOTS.map((name) =>
      readdir(join(root, name)).then(
        () => [name],
        () => [],
      ),
    ),
  );
  const args = [program, ...present.flat(), '--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
  const options = { cwd: root, maxBuffer: 256 * 1024 * 1024 };
  // The exit code is ignored, because the command exits with code 1 if an import rule is violated. Another test reports
  // such violations.
  const { stdout } = await promisify(execFile)(process.execPath, args, options).catch((error) => error);
  return JSON.parse(stdout);
}

/** Returns the libs that each lib may import, read from the rules named `<lib>-imports`. */
function allowedImports(rules) {
  return new Map(
    rules.flatMap(({ name, to }) => {
      const [, lib] = /^(\w+)-imports$/.exec(name) ?? [];
      const allowed = [to.pathNot ?? []].flat().join(' ');
      const names = /\^libs\/\(([\w|]+)\)\//.exec(allowed)?.[1]?.split('|') ?? [];
      return lib === undefined ? [] : [[lib, new Set(names)]];
    }),
  );
}
