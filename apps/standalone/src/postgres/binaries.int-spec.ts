import { execFile } from 'node:child_process';
import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { runAs, serverAccount } from './account.js';
import { findBinaries, locatePackage } from './binaries.js';

const AS_ROOT = process.getuid?.() === 0;

describe("PostgreSQL's programs from npm", () => {
  let base: string;
  let packageRoot: string;
  const lines: string[] = [];

  beforeEach(async () => {
    lines.length = 0;
    base = await mkdtemp(join(AS_ROOT ? '/var/tmp' : tmpdir(), 'postgres-package-'));
    await chmod(base, 0o755);
    packageRoot = join(base, 'package');
    // `cp` of Node.js takes seconds for so many files.
    await promisify(execFile)('cp', ['-RP', locatePackage(), packageRoot]);
  });

  afterEach(() => rm(base, { recursive: true, force: true }));

  it('run when npm installed them without install scripts, which leaves the library links out', async () => {
    const libraries = join(packageRoot, 'native', 'lib');
    for (const name of await readdir(libraries)) {
      if ((await lstat(join(libraries, name))).isSymbolicLink()) await rm(join(libraries, name));
    }
    const account = await serverAccount(join(base, 'none'));
    expect((await runAs(account, join(packageRoot, 'native', 'bin', 'postgres'), ['--version'])).code).not.toBe(0);
    const binaries = await findBinaries(account, (line) => lines.push(line), packageRoot);
    expect(binaries.postgres).toBe(join(packageRoot, 'native', 'bin', 'postgres'));
    expect((await runAs(account, binaries.initdb, ['--version'])).code).toBe(0);
    expect(lines).toEqual([]);
  });

  (AS_ROOT ? it : it.skip)('run from a readable copy when their folder is closed to the server account', async () => {
    await chmod(base, 0o700);
    const account = await serverAccount(join(base, 'none'));
    const binaries = await findBinaries(account, (line) => lines.push(line), packageRoot);
    expect(binaries.postgres.startsWith(base)).toBe(false);
    expect((await runAs(account, binaries.pgCtl, ['--version'])).code).toBe(0);
    expect(lines).toEqual([expect.stringContaining(packageRoot)]);
  });
});
