import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { REPOSITORY } from './plantation.js';

describe('code that runs in a browser', () => {
  it.each(['console', 'guides'])('of the %s has no type error', async (app) => {
    const tsc = [`${REPOSITORY}/node_modules/typescript/bin/tsc`, '--project', `apps/${app}`];
    const findings = await promisify(execFile)(process.execPath, tsc, { cwd: REPOSITORY }).then(
      ({ stdout }) => stdout,
      (failed: unknown) => (failed as { stdout: string }).stdout,
    );
    expect(findings).toBe('');
  });
});
