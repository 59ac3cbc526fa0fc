import { childEnvironment } from './environment-reader.js';

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
