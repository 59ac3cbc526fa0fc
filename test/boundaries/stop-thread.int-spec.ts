import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PROGRAM = join(import.meta.dirname, '../../dist/apps/api/src/stop-listener/stop-listener-thread.js');
const STATIC_IMPORT = /^(?:import|export)\b[^;]*?["']([^"']+)["'];/gm;
/** A thread loads its own copy of each package. These make most of the memory of the api. */
const HEAVY =
  /^(@nestjs\/.+|typeorm|class-validator|class-transformer|express|prom-client|pino-pretty|ioredis|iconv-lite)$/;

/** Returns the packages that a built program imports, and those that were bundled into its chunks. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  // A chunk without a map contains only code of the bundler.
  const map = existsSync(`${file}.map`) ? readFileSync(`${file}.map`, 'utf8') : '{"sources":[]}';
  const { sources } = JSON.parse(map) as { sources: string[] };
  const bundled = sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  const imported = [...readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)].map(([, name = '']) => name);
  const chunks = imported.filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name));
  return [
    ...bundled,
    ...imported.filter((name) => !name.startsWith('.')),
    ...chunks.flatMap((chunk) => packagesOf(chunk, seen)),
  ];
}

describe('the thread of the emergency stop', () => {
  it('loads no package that costs much memory', () => {
    const packages = [...new Set(packagesOf(PROGRAM))];
    expect(packages).toContain('pg');
    expect(packages.filter((name) => HEAVY.test(name))).toEqual([]);
  });
});
