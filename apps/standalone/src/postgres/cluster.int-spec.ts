import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { removeDatabaseFiles } from './cluster.js';

/** Program that creates files in the folder for a second, like an `initdb` whose parent process was killed. */
const WRITER = `
  const { mkdirSync, writeFileSync } = require('node:fs');
  const end = Date.now() + 1000;
  for (let n = 0; Date.now() < end; n += 1) {
    mkdirSync(process.argv[1] + '/base/' + (n % 7), { recursive: true });
    writeFileSync(process.argv[1] + '/base/' + (n % 7) + '/' + n, '');
    if (n === 100) process.stdout.write('writing');
  }
`;

describe('the files of a database that is not in use', () => {
  it('are removed while another process still creates some of them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'database-files-'));
    const writer = spawn(process.execPath, ['-e', WRITER, folder], { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(writer, 'exit');
    await once(writer.stdout, 'data');
    await removeDatabaseFiles(folder);
    await ended;
    await removeDatabaseFiles(folder);
    await expect(stat(folder)).rejects.toThrow('ENOENT');
  });
});
