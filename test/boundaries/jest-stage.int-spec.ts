import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from '../support/repository-root.js';

interface Stage {
  readonly status: number;
  readonly files: readonly { path: string; passed: number; skipped: number; failures: readonly string[] }[];
  readonly flaky: readonly { path: string; test: string; outputs: readonly [string, string] }[];
}

/** The tests count their runs in a file, and fail in the first `failing` runs. */
const counting = (name: string, failing: number) => `
  import { appendFileSync, readFileSync } from 'node:fs';
  test('is stable', () => {});
  test.skip('is skipped', () => {});
  test('counts', () => {
    appendFileSync('${name}.runs', '.');
    if (readFileSync('${name}.runs', 'utf8').length <= ${failing}) throw new Error('${name} is unlucky');
  });`;

const CONFIGURATION = "export default { testMatch: ['**/*.test.mjs'], transform: {} };";

async function runStage(root: string, options: object = {}): Promise<Stage> {
  const stage = JSON.stringify({ root, select: [], workers: 2, ...options });
  const script = `
    import { runStage } from '${join(REPOSITORY_ROOT, 'test/jest-stage.mjs')}';
    process.stdout.write(JSON.stringify(await runStage(${stage})));`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return JSON.parse(stdout) as Stage;
}

describe('a stage of `npm test`', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'stage-'));
    await symlink(join(REPOSITORY_ROOT, 'node_modules'), join(root, 'node_modules'));
    await writeFile(join(root, 'jest.config.mjs'), CONFIGURATION);
    await writeFile(join(root, 'steady.test.mjs'), counting('steady', 0));
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  const runs = async (name: string) => (await readFile(join(root, `${name}.runs`), 'utf8')).length;

  it('runs a failed file again once, passes if the file passes, and reports its test as flaky', async () => {
    await writeFile(join(root, 'unlucky.test.mjs'), counting('unlucky', 1));
    const { status, files, flaky } = await runStage(root);
    expect(status).toBe(0);
    expect(files).toHaveLength(2);
    for (const file of files) expect(file).toMatchObject({ passed: 2, skipped: 1, failures: [] });
    expect(flaky).toEqual([
      {
        path: 'unlucky.test.mjs',
        test: 'counts',
        outputs: [expect.stringContaining('unlucky is unlucky'), expect.stringContaining('passed')],
      },
    ]);
    expect(await runs('steady')).toBe(1);
  });

  it('fails if a file fails twice', async () => {
    await writeFile(join(root, 'broken.test.mjs'), counting('broken', 9));
    const { status, files, flaky } = await runStage(root);
    expect(status).not.toBe(0);
    expect(files.flatMap(({ failures }) => failures)).toEqual(['counts']);
    expect(flaky).toEqual([]);
    expect(await runs('broken')).toBe(2);
  });

  it('fails if a file does not load', async () => {
    await writeFile(join(root, 'unloadable.test.mjs'), "import './absent.mjs';");
    const { status, files } = await runStage(root);
    expect(status).not.toBe(0);
    expect(files.flatMap(({ failures }) => failures)).toEqual(['(the file did not run)']);
  });

  it('runs nothing again for a developer who has selected the files', async () => {
    await writeFile(join(root, 'unlucky.test.mjs'), counting('unlucky', 1));
    expect(await runStage(root, { repeat: false })).toMatchObject({ status: 1, flaky: [] });
    expect(await runs('unlucky')).toBe(1);
  });
});
