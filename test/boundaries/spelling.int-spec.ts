import { execFile } from 'node:child_process';
import { clear, type Files, plant, REPOSITORY } from './plantation.js';

/** Returns one line for each word of a document or an API description that is neither English nor in `cspell.json`. */
async function misspelledIn(root: string): Promise<string[]> {
  const cspell = `${REPOSITORY}/node_modules/cspell/bin.mjs`;
  const args = [cspell, '--no-progress', '--no-summary', '--no-color', '--root', root];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) => {
      // cspell exits with code 1 if it finds a misspelled word.
      if (error && error.code !== 1) reject(new Error(stderr, { cause: error }));
      else resolve(stdout.split('\n').filter((line) => line !== ''));
    });
  });
}

const PLANTED: Files = {
  'docs/reading.md':
    'Documents are recieved.\n\n```sh\nrecieve\n```\n\nSee [`recieve`](recieve.md). The colour is authorised.',
  'apps/api/src/runs/runs.api.ts': "export const description = 'The run was cancled.';",
  'libs/runs/README.md': 'A run is exectued.',
};

describe('the spelling of documents and API descriptions', () => {
  let plantation: string;

  beforeAll(async () => {
    plantation = await plant(PLANTED);
  });

  afterAll(() => clear(plantation));

  it('is checked, code left out', async () => {
    expect(await misspelledIn(plantation)).toEqual([
      expect.stringMatching(/^apps\/api\/src\/runs\/runs\.api\.ts:1:\d+ .*\(cancled\)/) as string,
      expect.stringMatching(/^docs\/reading\.md:1:\d+ .*\(recieved\)/) as string,
      expect.stringMatching(/^libs\/runs\/README\.md:1:\d+ .*\(exectued\)/) as string,
    ]);
  });

  it('is right in this repository', async () => {
    expect(await misspelledIn(REPOSITORY)).toEqual([]);
  });
});
