import { assertExpected } from './precondition.js';

describe('the versions that a change expects', () => {
  it('are all where nothing is said', () => {
    expect(() => assertExpected(undefined, 3, 'agent')).not.toThrow();
  });

  it('let a change pass that was made from one of them', () => {
    expect(() => assertExpected(new Set(['2', '3']), 3, 'agent')).not.toThrow();
  });

  it.each([[['2']], [[]]])('refuse a change that was made from another: %j', (versions) => {
    expect(() => assertExpected(new Set(versions), 3, 'agent')).toThrow(
      expect.objectContaining({
        code: 'precondition_failed',
        message: expect.stringContaining('The agent has changed'),
      }),
    );
  });
});
