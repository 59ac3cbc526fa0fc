import { PageMoves } from './page-moves.js';

describe('PageMoves', () => {
  it('follows redirects step by step in both directions', () => {
    const moves = new PageMoves();
    expect([moves.add('a', 'b'), moves.add('b', 'c'), moves.add('x', 'b')]).toEqual([true, true, true]);
    expect(moves.stepsFrom('a')).toEqual(['b', 'c']);
    expect(moves.leadingTo('c').sort()).toEqual(['a', 'b', 'x']);
    expect([moves.has('a'), moves.has('c'), moves.leadingTo('a')]).toEqual([true, false, []]);
  });

  it('detects a loop, also for pages that lead into it', () => {
    const moves = new PageMoves();
    expect([moves.add('a', 'b'), moves.add('b', 'a')]).toEqual([true, false]);
    expect([moves.add('x', 'a'), moves.add('self', 'self')]).toEqual([false, false]);
    expect(moves.stepsFrom('x')).toEqual(['a', 'b']);
    expect(moves.leadingTo('a').sort()).toEqual(['b', 'x']);
  });
});
