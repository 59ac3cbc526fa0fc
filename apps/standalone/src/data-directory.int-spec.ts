import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeDataDirectory } from './data-directory.js';
import { OperatorError } from './operator-error.js';

describe('the data directory of npm start', () => {
  let place: string;

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'aas-data-directory-'));
  });

  afterAll(() => rm(place, { recursive: true }));

  it('is made for its owner alone, and taken as it is a second time', async () => {
    const directory = join(place, 'some', 'where');
    await makeDataDirectory(directory);
    await makeDataDirectory(directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('that cannot be a directory is refused with the name of its variable', async () => {
    const file = join(place, 'file');
    await writeFile(file, '');
    await expect(makeDataDirectory(file)).rejects.toThrow(OperatorError);
    await expect(makeDataDirectory(file)).rejects.toThrow(`DATA_DIR: ${file} is a file, not a directory.`);
    const below = join(file, 'below');
    await expect(makeDataDirectory(below)).rejects.toThrow(`DATA_DIR: ${below} is below a file`);
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('that a file system cannot hold is refused at once', async () => {
    const reason = 'is on a file system without directories of this kind. Set DATA_DIR to another directory.';
    await expect(makeDataDirectory('/proc/aas-data')).rejects.toThrow(`DATA_DIR: /proc/aas-data ${reason}`);
    await expect(makeDataDirectory('/proc/aas/data')).rejects.toThrow(`DATA_DIR: /proc/aas/data ${reason}`);
  });

  // Skipped if the tests run as root, because root can write even to read-only directories.
  const unlessRoot = process.getuid?.() === 0 ? it.skip : it;
  unlessRoot('that another account owns is refused before anything is written', async () => {
    await expect(makeDataDirectory('/aas-data')).rejects.toThrow(
      'DATA_DIR: /aas-data is not writable for this account',
    );
  });
});
