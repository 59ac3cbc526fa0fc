import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const LOCK = join(import.meta.dirname, '..', 'checkout-lock.mjs');
const run = promisify(execFile);

describe('the lock of a checkout', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'checkout-lock-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  function holder(name: string): Promise<unknown> {
    const program = `
      import { appendFileSync } from 'node:fs';
      import { setTimeout as pause } from 'node:timers/promises';
      const { withLock } = await import(${JSON.stringify(LOCK)});
      const note = (what) => appendFileSync(${JSON.stringify(join(folder, 'notes'))}, what + ' ${name}\\n');
      await withLock(${JSON.stringify(join(folder, 'lock'))}, () => undefined, async () => { note('in'); await pause(150); note('out'); });`;
    return run(process.execPath, ['--input-type=module', '-e', program]);
  }

  const notes = async () => (await readFile(join(folder, 'notes'), 'utf8')).trim().split('\n');

  it('lets processes work one after another', async () => {
    await Promise.all(['a', 'b', 'c'].map(holder));
    const lines = await notes();
    expect(lines).toHaveLength(6);
    for (let i = 0; i < 6; i += 2) expect(lines[i + 1]).toBe(lines[i]?.replace('in', 'out'));
  });

  it('is taken over by exactly one of several when its holder died', async () => {
    const dead = await run(process.execPath, ['-e', 'console.log(process.pid)']);
    await writeFile(join(folder, 'lock'), dead.stdout.trim());
    await Promise.all(['a', 'b'].map(holder));
    const lines = await notes();
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['in', 'out', 'in', 'out']);
  });
});
