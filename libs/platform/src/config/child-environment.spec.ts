import { execFileSync } from 'node:child_process';
import { childEnvironment, isolatedEnvironment, useUtc } from './environment-reader.js';

describe('the environment of a child process', () => {
  it('is inherited, except for what is overridden or removed', () => {
    const before = { ...process.env };
    process.env['CHILD_ENVIRONMENT_SPEC'] = 'inherited';
    const child = childEnvironment({ PORT: '4000', CHILD_ENVIRONMENT_SPEC: undefined });
    expect(child).toEqual({ ...before, PORT: '4000' });
    expect(childEnvironment()['CHILD_ENVIRONMENT_SPEC']).toBe('inherited');
    delete process.env['CHILD_ENVIRONMENT_SPEC'];
  });
});

describe('the time zone of the service', () => {
  const zone = process.env.TZ;

  afterEach(() => {
    process.env.TZ = zone;
    // An unset variable would become the text "undefined".
    if (zone === undefined) delete process.env.TZ;
  });

  it('is UTC in the child processes, whatever zone the host has', () => {
    const offsetIn = (env: NodeJS.ProcessEnv): string =>
      execFileSync(process.execPath, ['-p', 'new Date(2026, 6, 1).getTimezoneOffset()'], { env }).toString().trim();
    process.env.TZ = 'Europe/Berlin';
    expect(offsetIn(childEnvironment())).toBe('-120');
    useUtc();
    expect(offsetIn(childEnvironment())).toBe('0');
    expect(offsetIn(isolatedEnvironment())).toBe('0');
  });
});
