import { closest, didYouMean } from './suggest.js';

describe('did you mean', () => {
  it('finds the word behind a typing mistake, a swap and another spelling convention', () => {
    const keys = ['instructions', 'input', 'output', 'max_steps', 'when'];
    expect(closest('instuctions', keys)).toBe('instructions');
    expect(closest('inupt', keys)).toBe('input');
    expect(closest('maxSteps', keys)).toBe('max_steps');
    expect(closest('max-step', keys)).toBe('max_steps');
    expect(didYouMean('whne', keys)).toBe('Did you mean `when`?');
  });

  it('stays silent where nothing is close', () => {
    expect(closest('colour', ['instructions', 'input'])).toBeUndefined();
    expect(closest('x'.repeat(100_000), ['instructions'])).toBeUndefined();
  });
});
