import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '../docs/errors.md');
const MODULE = 'virtual:error-remedies';
const RESOLVED = `\0${MODULE}`;

/** A Vite plugin with the module `virtual:error-remedies`: what to do, by error code, from the table of docs/errors.md. */
export function errorRemedies() {
  return {
    name: 'error-remedies',
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    load: async (id) =>
      id === RESOLVED ? `export const remedies = ${JSON.stringify(await readRemedies())};` : undefined,
  };
}

async function readRemedies() {
  const page = await readFile(PAGE, 'utf8');
  const rows = Array.from(page.matchAll(/^\| \d{3} \| `(\w+)` \| [^|]+ \| ([^|]+) \|$/gm), ([, code, remedy]) => [
    code,
    remedy,
  ]);
  if (rows.length === 0) throw new Error('docs/errors.md has no table of error codes.');
  return Object.fromEntries(rows);
}
