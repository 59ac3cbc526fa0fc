import { closest, didYouMean, suggestName } from './suggest.js';

describe('did you mean', () => {
  it('finds the word that a typing mistake, a swap or another spelling convention stands for', () => {
    const keys = ['instructions', 'input', 'output', 'max_steps', 'when'];
    expect(closest('instuctions', keys)).toBe('instructions');
    expect(closest('inupt', keys)).toBe('input');
    expect(closest('maxSteps', keys)).toBe('max_steps');
    expect(closest('max-step', keys)).toBe('max_steps');
    expect(didYouMean('whne', keys)).toBe('Did you mean `when`?');
  });

  it('suggests nothing if nothing is close', () => {
    expect(closest('colour', ['instructions', 'input'])).toBeUndefined();
    expect(closest('x'.repeat(100_000), ['instructions'])).toBeUndefined();
  });

  it('lists at most ten names if none is close', () => {
    expect(suggestName('colour', ['input', 'output'], 'It has none.')).toBe('Available names: `input`, `output`.');
    const many = Array.from({ length: 11 }, (_, index) => `operation-${index}`);
    expect(suggestName('colour', many, 'It has none.')).toMatch(/`operation-9` and more\.$/);
    expect(suggestName('colour', [], 'It has none.')).toBe('It has none.');
  });
});
