import { corrections, mistakesAllowed, nearbySpellings } from './misspelling.js';

const correct = (misspelt: string, ...words: string[]) =>
  corrections(
    misspelt,
    words.map((word, n) => ({ word, passages: 10 - n })),
  ).map(({ word }) => word);

describe('a misspelt word', () => {
  it.each([
    ['refnd', 'refund'],
    ['refuund', 'refund'],
    ['refudn', 'refund'],
    ['rafund', 'refund'],
    ['warrenti', 'warranti'],
    ['cancelatoin', 'cancelation'],
  ])('%s means %s', (misspelt, word) => {
    expect(correct(misspelt, 'something', word, 'else')).toEqual([word]);
  });

  it('is corrected to the nearest words, the most frequent first', () => {
    expect(correct('shippng', 'shopping', 'shipping')).toEqual(['shipping']);
    expect(correct('bant', 'band', 'bank')).toEqual(['band', 'bank']);
  });

  it('is not corrected to a distant word or if it is short', () => {
    expect(correct('price', 'prune')).toEqual([]);
    expect([
      mistakesAllowed('cat'),
      mistakesAllowed('4711a'),
      mistakesAllowed('cats'),
      mistakesAllowed('catalogue'),
    ]).toEqual([0, 0, 1, 2]);
  });

  it('is looked up with letters swapped and left out', () => {
    expect(nearbySpellings('abc')).toEqual(['bac', 'acb', 'bc', 'ac', 'ab']);
  });
});
