import { MOST_CANDIDATES, planSearch, type SearchTerm } from './search-plan.js';

const term = (stem: string, passages: number): SearchTerm => ({ stems: [stem], passages, among: 1_000, weight: 1 });

describe('the plan of a search', () => {
  it('looks at everything where that is little', () => {
    const { candidates } = planSearch([term('refund', 40), term('gift', 10)], [], 10_000);
    expect(candidates).toEqual([`('gift' | 'refund')`]);
  });

  it('looks common words up only where they stand together, and rare ones as they are', () => {
    const terms = [term('rare', 100), term('a', 9_000), term('b', 9_000), term('c', 9_000)];
    const { candidates } = planSearch(terms, [], 1_000_000);
    expect(candidates[0]).toBe(`('rare' | ('a' & 'b') | ('a' & 'c') | ('b' & 'c'))`);
    expect(candidates.at(-1)).toBe(`('rare' | 'a' | 'b' | 'c')`);
  });

  it('asks for all of the words at once where even two of them stand together too often', () => {
    const { candidates } = planSearch([term('a', 600_000), term('b', 700_000)], [], 1_000_000);
    expect(candidates).toEqual([`('a' & 'b')`, `'a'`, `('a' | 'b')`]);
  });

  it('leaves the commonest words to the ranking where rarer ones choose', () => {
    const { candidates } = planSearch([term('rare', 100), term('everywhere', 900_000)], [], 1_000_000);
    expect(candidates).toEqual([`'rare'`, `('rare' | 'everywhere')`]);
  });

  it('goes on with the rarest words that are in enough passages before it looks at the commonest', () => {
    const terms = [term('rare', 100), term('seldom', 1_000), term('often', 70_000), term('everywhere', 999_000)];
    const { candidates } = planSearch(terms, [], 1_000_000);
    expect(candidates.slice(1)).toEqual([
      `('rare' | 'seldom' | 'often')`,
      `('rare' | 'seldom' | 'often' | 'everywhere')`,
    ]);
  });

  it('is the word itself where there is but one', () => {
    const { candidates } = planSearch([term('a', 2 * MOST_CANDIDATES)], [], 1_000_000);
    expect(candidates).toEqual([`'a'`]);
  });

  it('demands every phrase', () => {
    const { candidates, terms } = planSearch([term('five', 3), term('day', 9)], [`'five' <-> 'day'`, `'x'`], 100);
    expect(candidates).toEqual([`('five' <-> 'day' & 'x')`]);
    expect(terms).toHaveLength(2);
  });

  it('weighs rare words more, and finds nothing for unknown ones', () => {
    const { terms } = planSearch([term('common', 900), term('rare', 2), term('never', 0)], [], 1_000);
    expect(terms.map(({ query }) => query)).toEqual([`'rare'`, `'common'`]);
    expect(terms[0]?.weight).toBeGreaterThan(5 * (terms[1]?.weight ?? 0));
    expect(planSearch([term('never', 0)], [], 1_000)).toEqual({ candidates: [], terms: [] });
  });

  it('weighs a word among the passages of the languages that it is a word of', () => {
    const everywhere = { ...term('die', 40), among: 40 };
    const { terms } = planSearch([everywhere, term('rare', 40)], [], 1_000);
    expect(terms[1]?.weight).toBeGreaterThan(50 * (terms[0]?.weight ?? 0));
  });

  it('quotes stems as Postgres does', () => {
    expect(planSearch([term(`o'n\\e`, 1)], [], 10).candidates).toEqual([`'o''n\\\\e'`]);
  });
});
