import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPERATIONS } from '../../packages/sdk/src/generated/operations.js';
import { methodsByOperation } from '../../packages/sdk/src/testing/called-operations.js';
import { REPOSITORY_ROOT as REPOSITORY } from '../support/repository-root.js';

const CALL = /\baas\.(\w+\.\w+)\b/g;
const ROW = /^\| ((?:`\w+`(?:, )?)+) \|/gm;

/** Returns the client methods that the source of the console calls, such as `runs.list`. */
async function calledMethods(): Promise<Set<string>> {
  const folder = join(REPOSITORY, 'apps/console/src');
  const names = (await readdir(folder, { recursive: true })).filter((name) => /(?<!\.spec)\.tsx?$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return new Set(texts.flatMap((text) => [...text.matchAll(CALL)].map(([, method]) => method!)));
}

/** Returns the operations that docs/console.md lists in the table "What only the API does". */
async function documentedExceptions(): Promise<string[]> {
  const text = await readFile(join(REPOSITORY, 'docs/console.md'), 'utf8');
  const section = text.split('\n## ').find((part) => part.startsWith('What only the API does'));
  return [...(section ?? '').matchAll(ROW)].flatMap(([, cell]) => cell!.match(/\w+/g) ?? []);
}

describe('the console', () => {
  it('calls every operation of the API but those that its page in the docs names', async () => {
    const [methods, called, exceptions] = await Promise.all([
      methodsByOperation(),
      calledMethods(),
      documentedExceptions(),
    ]);
    const uncalled = Object.values(OPERATIONS).filter((id) => !methods.get(id)?.some((method) => called.has(method)));
    expect(uncalled.sort()).toEqual(exceptions.sort());
  });
});
