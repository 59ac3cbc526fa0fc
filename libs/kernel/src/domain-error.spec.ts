import { assertExpected } from './domain-error.js';

describe('assertExpected', () => {
  it('accepts any version if the caller names none', () => {
    expect(() => assertExpected(undefined, 3, 'agent')).not.toThrow();
  });

  it('accepts a change of a named version', () => {
    expect(() => assertExpected(new Set(['2', '3']), 3, 'agent')).not.toThrow();
  });

  it.each([[['2']], [[]]])('rejects a change of another version: %j', (versions) => {
    expect(() => assertExpected(new Set(versions), 3, 'agent')).toThrow(
      expect.objectContaining({
        code: 'precondition_failed',
        message: expect.stringContaining('The agent has changed'),
      }),
    );
  });
});
