import { MAX_CANDIDATES, planSearch, readQuestion, type SearchTerm } from './search-plan.js';

const term = (stem: string, passages: number): SearchTerm => ({ stems: [stem], passages, among: 1_000, weight: 1 });

describe('planSearch', () => {
  it('selects every passage with a word if these are few', () => {
    const { candidates } = planSearch([term('refund', 40), term('gift', 10)], [], 10_000);
    expect(candidates).toEqual([`('gift' | 'refund')`]);
  });

  it('selects by rare words alone and by common words together', () => {
    const terms = [term('rare', 100), term('a', 9_000), term('b', 9_000), term('c', 9_000)];
    const { candidates } = planSearch(terms, [], 1_000_000);
    expect(candidates[0]).toBe(`('rare' | ('a' & 'b') | ('a' & 'c') | ('b' & 'c'))`);
    expect(candidates.at(-1)).toBe(`('rare' | 'a' | 'b' | 'c')`);
  });

  it('selects by all words together if even pairs occur too often', () => {
    const { candidates } = planSearch([term('a', 600_000), term('b', 700_000)], [], 1_000_000);
    expect(candidates).toEqual([`('a' & 'b')`, `'a'`, `('a' | 'b')`]);
  });

  it('ignores the most common words for the selection if rarer ones suffice', () => {
    const { candidates } = planSearch([term('rare', 100), term('everywhere', 900_000)], [], 1_000_000);
    expect(candidates).toEqual([`'rare'`, `('rare' | 'everywhere')`]);
  });

  it('adds common words to the selection step by step', () => {
    const terms = [term('rare', 100), term('seldom', 1_000), term('often', 70_000), term('everywhere', 999_000)];
    const { candidates } = planSearch(terms, [], 1_000_000);
    expect(candidates.slice(1)).toEqual([
      `('rare' | 'seldom' | 'often')`,
      `('rare' | 'seldom' | 'often' | 'everywhere')`,
    ]);
  });

  it('selects by a single word', () => {
    const { candidates } = planSearch([term('a', 2 * MAX_CANDIDATES)], [], 1_000_000);
    expect(candidates).toEqual([`'a'`]);
  });

  it('requires every phrase', () => {
    const { candidates, terms } = planSearch([term('five', 3), term('day', 9)], [`'five' <-> 'day'`, `'x'`], 100);
    expect(candidates).toEqual([`('five' <-> 'day' & 'x')`]);
    expect(terms).toHaveLength(2);
  });

  it('weights rare words higher and ignores unknown ones', () => {
    const { terms } = planSearch([term('common', 900), term('rare', 2), term('never', 0)], [], 1_000);
    expect(terms.map(({ query }) => query)).toEqual([`'rare'`, `'common'`]);
    expect(terms[0]?.weight).toBeGreaterThan(5 * (terms[1]?.weight ?? 0));
    expect(planSearch([term('never', 0)], [], 1_000)).toEqual({ candidates: [], terms: [] });
  });

  it('weights a word by the passages in its languages', () => {
    const everywhere = { ...term('die', 40), among: 40 };
    const { terms } = planSearch([everywhere, term('rare', 40)], [], 1_000);
    expect(terms[1]?.weight).toBeGreaterThan(50 * (terms[0]?.weight ?? 0));
  });

  it('quotes stems for Postgres', () => {
    expect(planSearch([term(`o'n\\e`, 1)], [], 10).candidates).toEqual([`'o''n\\\\e'`]);
  });
});

describe('readQuestion', () => {
  it('returns words without duplicates, and phrases', () => {
    expect(readQuestion('Refund "within five days" or „innerhalb von Tagen“ refund?')).toEqual({
      words: ['refund', 'within', 'five', 'days', 'or', 'innerhalb', 'von', 'tagen'],
      phrases: ['within five days', 'innerhalb von Tagen'],
    });
  });

  it('treats a quoted word as a word and ignores an unclosed quotation mark', () => {
    expect(readQuestion('"refund" 5" pipe')).toEqual({ words: ['refund', '5', 'pipe'], phrases: [] });
  });

  it('accepts empty and very long questions', () => {
    expect(readQuestion(' ?! ')).toEqual({ words: [], phrases: [] });
    expect(readQuestion(Array.from({ length: 10_000 }, (_, n) => `w${n}`).join(' ')).words).toHaveLength(64);
    expect(readQuestion('"'.repeat(100_000)).phrases).toEqual([]);
  });
});
