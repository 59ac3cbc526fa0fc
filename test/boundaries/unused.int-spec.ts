import { clear, type Files, jsonFrom, plant, REPOSITORY } from './plantation.js';

/** A finding of knip. It lists the unused names of one file, by kind. */
interface Finding {
  file: string;
  [kind: string]: string | { name: string }[];
}

const KNIP = `${REPOSITORY}/node_modules/knip/bin/knip.js`;

async function unusedIn(root: string): Promise<string[]> {
  const report = await jsonFrom<{ files: string[]; issues: Finding[] }>(
    root,
    KNIP,
    ...['--no-config-hints', '--reporter', 'json'],
  );
  const inFiles = report.issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, found]) =>
      Array.isArray(found) ? found.map(({ name }) => `${file} ${kind} ${name}`) : [],
    ),
  );
  return [...report.files.map((file) => `${file} unused file`), ...inFiles];
}

const PLANTED: Files = {
  'package.json': JSON.stringify({ type: 'module', dependencies: { croner: '*', pg: '*' } }),
  'apps/worker/src/main.ts': "import { used } from './used.js';\nused();",
  'apps/worker/src/used.ts': [
    "import { Cron } from 'croner';",
    "export const used = (): Cron => new Cron('* * * * *');",
    'export const unused = 1;',
    'export interface Unused { name: string }',
  ].join('\n'),
  'libs/kernel/src/dead.ts': 'export const dead = 1;',
};

describe('the check for unused code', () => {
  let plantation: string;

  beforeAll(async () => {
    plantation = await plant(PLANTED);
  });

  afterAll(() => clear(plantation));

  it('finds a file, an export, a type and a dependency that nothing uses', async () => {
    const found = await unusedIn(plantation);
    // The planted package.json lists no tools, so knip reports the configuration files of the tools as unused.
    expect(found.filter((finding) => /^(apps|libs|package)/.test(finding)).sort()).toEqual([
      'apps/worker/src/used.ts exports unused',
      'apps/worker/src/used.ts types Unused',
      'libs/kernel/src/dead.ts unused file',
      'package.json dependencies pg',
    ]);
  });

  it('finds nothing in this repository', async () => {
    expect(await unusedIn(REPOSITORY)).toEqual([]);
  });
});
