/**
 * `npm run structure`: prints the findings and the figures of the code as JSON. Fails if there is a forbidden import, a
 * cycle of folders, SQL across libs or quadratic SQL, or if a figure exceeds its maximum in `budget.json`. With
 * `--write`, writes a new budget. A commit that raises it says by how much, and why.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cruise } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

import { figuresOf } from './figures.mjs';
import { folderCycles } from './folder-cycles.mjs';
import { quadraticSql } from './quadratic-sql.mjs';
import { foreignSql } from './sql-ownership.mjs';

const ROOTS = ['apps', 'libs', 'packages'];
const IGNORED = new Set(['node_modules', 'dist', '.data', 'generated']);
const READ = /\.(ts|tsx|mjs|sql)$/;
const GENERATED = /\.generated\.ts$/;
const TEST_CODE = /\.(spec|int-spec|e2e-spec|browser-spec)\.tsx?$|\/testing\/|\/test\//;
const BUDGET = join(import.meta.dirname, 'budget.json');
/** Budgets are rounded up to a multiple of these numbers, so that a small correction does not exceed them. */
const LINES_STEP = 200;
const WORDS_STEP = 5;

const root = join(import.meta.dirname, '../..');
const files = await productFiles();
const { modules, summary } = await imports();
const findings = {
  forbiddenImports: summary.violations.map(forbiddenImport),
  folderCycles: folderCycles(modules),
  foreignSql: foreignSql(files, allowedImports(summary.ruleSetUsed.forbidden)),
  quadraticSql: quadraticSql(files),
};
const figures = figuresOf(files, await countOperations());
if (process.argv.includes('--write')) await writeFile(BUDGET, `${JSON.stringify(budgetFor(figures), null, 2)}\n`);
const budget = JSON.parse(await readFile(BUDGET, 'utf8'));
const overBudget = Object.entries(figures)
  .filter(([name, figure]) => figure > (budget[name] ?? 0))
  .map(([name, figure]) => `${name}: ${figure}, and the budget is ${budget[name] ?? 0}`);
process.stdout.write(`${JSON.stringify({ ...findings, overBudget, figures }, null, 2)}\n`);
if ([...Object.values(findings), overBudget].some(({ length }) => length > 0)) process.exitCode = 1;

function budgetFor(measured) {
  const step = (name) => (/^lines of \S+$/.test(name) ? LINES_STEP : name.startsWith('words') ? WORDS_STEP : 1);
  return Object.fromEntries(
    Object.entries(measured).map(([name, figure]) => [name, Math.ceil(figure / step(name)) * step(name)]),
  );
}

async function countOperations() {
  const { paths } = JSON.parse(await readText('packages/sdk/openapi.json'));
  return Object.values(paths).reduce((sum, operations) => sum + Object.keys(operations).length, 0);
}

async function productFiles() {
  const found = await Promise.all(ROOTS.map((folder) => filesBelow(folder)));
  const paths = found.flat().filter((path) => READ.test(path) && !GENERATED.test(path) && !TEST_CODE.test(path));
  return Promise.all(paths.sort().map(async (path) => ({ path, text: await readText(path) })));
}

async function filesBelow(folder) {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => !IGNORED.has(name))
      .map((entry) => (entry.isDirectory() ? filesBelow(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`])),
  );
  return found.flat();
}

function readText(path) {
  return readFile(join(root, path), 'utf8');
}

async function imports() {
  const config = join(root, '.dependency-cruiser.cjs');
  const tsConfig = extractTSConfig(join(root, 'tsconfig.json'));
  const options = { ...(await extractDepcruiseOptions(config)), baseDir: root };
  const { output } = await cruise([...ROOTS, 'test'], options, undefined, { tsConfig });
  return output;
}

/** The rule and the files of a violation, for example `kernel-is-pure: libs/kernel/a.ts → libs/runs/b.ts`. */
function forbiddenImport({ rule, from, to, cycle }) {
  const targets = cycle?.map(({ name }) => name) ?? (to === from ? [] : [to]);
  return [`${rule.name}: ${from}`, ...targets].join(' → ');
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
