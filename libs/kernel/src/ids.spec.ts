import fc from 'fast-check';
import { isId, newId } from './ids.js';

describe('ids', () => {
  it('are a prefix and 26 characters of Crockford base32', () => {
    expect(newId('run')).toMatch(/^run_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(isId('run', newId('run'))).toBe(true);
  });

  it('sort by creation, also within one millisecond', () => {
    const made = Array.from({ length: 3_000 }, () => newId('run', 1_800_000_000_000));
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  it('carry the millisecond of their creation', () => {
    const time = Date.UTC(2100, 0, 1);
    const suffix = newId('agent', time).slice('agt_'.length);
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
    const bits = [...suffix].reduce((sum, char) => sum * 32n + BigInt(alphabet.indexOf(char)), 0n);
    expect(Number(bits >> 80n)).toBe(time);
    expect((bits >> 76n) & 15n).toBe(7n);
    expect((bits >> 62n) & 3n).toBe(2n);
  });

  it('refuse ids of another kind and arbitrary text', () => {
    expect(isId('run', newId('agent'))).toBe(false);
    expect(isId('run', 'run_8zzzzzzzzzzzzzzzzzzzzzzzzz')).toBe(false);
    fc.assert(fc.property(fc.string(), (text) => !isId('run', text)));
  });
});
