import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { REPOSITORY } from './plantation.js';

describe('the console', () => {
  it('has no type error', async () => {
    const tsc = [`${REPOSITORY}/node_modules/typescript/bin/tsc`, '--project', 'apps/console'];
    const findings = await promisify(execFile)(process.execPath, tsc, { cwd: REPOSITORY }).then(
      ({ stdout }) => stdout,
      (failed: unknown) => (failed as { stdout: string }).stdout,
    );
    expect(findings).toBe('');
  });
});
