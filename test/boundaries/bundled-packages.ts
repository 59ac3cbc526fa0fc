import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY_ROOT } from '../support/repository-root.js';

const STATIC_IMPORT = /^(?:import|export)\b[^;]*?["']([^"']+)["'];/gm;

/** Returns the packages that a built program imports at its start, and those that were bundled into its chunks. */
export function packagesOf(program: string): string[] {
  return [...new Set(loadedBy(join(REPOSITORY_ROOT, program), new Set()))];
}

function loadedBy(file: string, seen: Set<string>): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const bundled = modulesIn(file).flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  const imported = [...readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)].map(([, name = '']) => name);
  const chunks = imported.filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name));
  return [
    ...bundled,
    ...imported.filter((name) => !name.startsWith('.')),
    ...chunks.flatMap((chunk) => loadedBy(chunk, seen)),
  ];
}

/** Returns the paths of the modules in a built file. A chunk without a map contains only code of the bundler. */
export function modulesIn(file: string): string[] {
  const map = existsSync(`${file}.map`) ? readFileSync(`${file}.map`, 'utf8') : '{"sources":[]}';
  return (JSON.parse(map) as { sources: string[] }).sources;
}
