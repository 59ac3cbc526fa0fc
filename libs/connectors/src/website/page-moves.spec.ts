import { PageMoves } from './page-moves.js';

describe('where the pages of a crawl have moved to', () => {
  it('is followed step by step, in either direction', () => {
    const moves = new PageMoves();
    for (const [from, to] of [['a', 'b'], ['b', 'c'], ['x', 'b']] as const) expect(moves.add(from, to)).toBe(true); // prettier-ignore
    expect(moves.stepsFrom('a')).toEqual(['b', 'c']);
    expect(moves.leadingTo('c').sort()).toEqual(['a', 'b', 'x']);
    expect([moves.has('a'), moves.has('c'), moves.leadingTo('a')]).toEqual([true, false, []]);
  });

  it('has an end in a circle, which is told to the page that closes it and to those that lead into it', () => {
    const moves = new PageMoves();
    expect([moves.add('a', 'b'), moves.add('b', 'a'), moves.add('x', 'a'), moves.add('self', 'self')]).toEqual([true, false, false, false]); // prettier-ignore
    expect(moves.stepsFrom('x')).toEqual(['a', 'b']);
    expect(moves.leadingTo('a').sort()).toEqual(['b', 'x']);
  });
});
