import type { FoundPassage } from './found-passages.js';
import { fuseRankings } from './found-passages.js';

const passage = (id: string, chunk = 0): FoundPassage => ({
  document: { id, title: id, url: null, version: 1 },
  chunk,
  heading: '',
  text: id,
  score: 0.5,
  start: 0,
  end: 1,
});
const order = (...lists: string[][]) =>
  fuseRankings(lists.map((list) => list.map((id) => passage(id)))).map(({ document }) => document.id);

describe('fuseRankings', () => {
  it('prefers a passage of both rankings to the first of one', () => {
    expect(order(['a', 'b'], ['c', 'b'])).toEqual(['b', 'a', 'c']);
  });

  it('keeps the order of a single ranking', () => {
    expect(order(['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(order(['a', 'b'], [])).toEqual(['a', 'b']);
    expect(order([], [])).toEqual([]);
  });

  it('gives 1 to a passage that is first in every ranking', () => {
    const [first, second] = fuseRankings([[passage('a'), passage('b')], [passage('a')]]);
    expect(first?.score).toBeCloseTo(1, 12);
    expect(second?.score).toBeCloseTo(61 / 62 / 2, 12);
  });

  it('distinguishes passages of one document', () => {
    expect(fuseRankings([[passage('a', 0), passage('a', 1)], [passage('a', 1)]]).map(({ chunk }) => chunk)).toEqual([
      1, 0,
    ]);
  });
});
