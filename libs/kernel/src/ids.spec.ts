/**
 * The ids of a process never go back in time, and these tests make ids of the future.
 *
 * @jest-environment node
 */
import fc from 'fast-check';
import { idRange, isId, newId } from './ids.js';

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

  it('of rows from a period lie in the range of that period, even if the clock that made them is wrong by an hour', () => {
    const [since, until] = [new Date('2100-01-01T00:00:00Z'), new Date('2100-01-02T00:00:00Z')];
    const { lowest = '', beyond = '' } = idRange('run', { since, until });
    const HOUR = 3_600_000;
    // The timestamps in the ids of one process never decrease, so the test must create the id with the earlier time
    // first.
    for (const made of [newId('run', since.getTime() - HOUR), newId('run', until.getTime() + HOUR)])
      expect(made >= lowest && made < beyond).toBe(true);
    expect(newId('run', until.getTime() + 3 * HOUR) < beyond).toBe(false);
    expect(idRange('run', {})).toEqual({});
  });

  it('refuse ids of another kind and arbitrary text', () => {
    expect(isId('run', newId('agent'))).toBe(false);
    expect(isId('run', 'run_8zzzzzzzzzzzzzzzzzzzzzzzzz')).toBe(false);
    fc.assert(fc.property(fc.string(), (text) => !isId('run', text)));
  });
});
