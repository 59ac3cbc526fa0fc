import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { eventually } from '../../../test/support/eventually.js';
import { isAlive } from './process-identity.js';
import { ServiceProcess } from './service-process.js';

describe('a service process', () => {
  let folder: string;
  let lines: string[];
  let starts: number;
  let service: ServiceProcess;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'service-process-'));
    lines = [];
    starts = 0;
  });

  afterEach(async () => {
    service.kill();
    await rm(folder, { recursive: true, force: true });
  });

  async function startProgram(program: string): Promise<void> {
    const file = join(folder, 'program.mjs');
    await writeFile(file, program);
    const say = (line: string) => lines.push(line);
    service = new ServiceProcess({ name: 'demo', args: [file, folder], environment: {} }, say, () => (starts += 1));
    service.start();
  }

  /** Returns what the program has written to a file. Waits until the file is not empty. */
  const written = (name: string) =>
    eventually(async () => {
      const content = await readFile(join(folder, name), 'utf8');
      expect(content).not.toBe('');
      return content;
    });

  it('is restarted after an unexpected end, and reports it', async () => {
    await startProgram(`process.exit(3);`);
    await eventually(() => expect(starts).toBe(2));
    expect(lines[0]).toBe('demo ended (exit code 3), restarting it in 0.5 s');
    expect(service.failures).toBeGreaterThanOrEqual(1);
  });

  it('may finish its work when it is stopped, and stays down', async () => {
    await startProgram(`
      import { writeFileSync } from 'node:fs';
      process.on('SIGTERM', () => setTimeout(() => { writeFileSync(process.argv[2] + '/finished', 'yes'); process.exit(0); }, 100));
      setInterval(() => undefined, 1000);
      writeFileSync(process.argv[2] + '/up', 'yes');`);
    await written('up');
    const identity = await service.identity();
    await service.stop();
    expect(await readFile(join(folder, 'finished'), 'utf8')).toBe('yes');
    expect(identity && (await isAlive(identity))).toBe(false);
    expect(starts).toBe(1);
    expect(lines).toEqual([]);
  });

  it('runs in a session of its own, out of reach of a Ctrl-C in the terminal', async () => {
    await startProgram(`
      import { execFileSync } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      writeFileSync(process.argv[2] + '/group', execFileSync('/bin/ps', ['-o', 'pgid=', '-p', String(process.pid)]));
      setInterval(() => undefined, 1000);`);
    const group = Number(await written('group'));
    expect(group).toBe((await service.identity())?.pid);
  });
});
