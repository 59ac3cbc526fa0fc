import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '../docs/expressions.md');
const MODULE = 'virtual:expression-functions';
const RESOLVED = `\0${MODULE}`;

/** A Vite plugin with the module `virtual:expression-functions`: the tables of functions of docs/expressions.md. */
export function expressionFunctions() {
  return {
    name: 'expression-functions',
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    load: async (id) =>
      id === RESOLVED ? `export const functions = ${JSON.stringify(await readFunctions())};` : undefined,
  };
}

async function readFunctions() {
  const page = await readFile(PAGE, 'utf8');
  const tables = page.slice(page.indexOf('\n## Functions\n'), page.indexOf('\n## Missing fields\n'));
  const rows = Array.from(tables.matchAll(/^\| (`.+`) \| (.+) \| `([^`]+)` \| `([^`]+)` \|$/gm));
  if (rows.length === 0) throw new Error('docs/expressions.md has no table of functions.');
  return rows.map(([, forms, does, example, gives]) => ({
    forms: Array.from(forms.matchAll(/`([^`]+)`/g), ([, form]) => form),
    does: does.replaceAll('`', ''),
    example,
    gives,
  }));
}
