import { matchedParts, matchedWords } from './matched-words.js';

describe('the words of a query in a passage', () => {
  it('are found in other forms, and short ones as whole words only', () => {
    const text = 'Refunds are paid within five days. An invoice is in the letter.';
    expect(matchedWords('When is a refund paid in a letters?', text)).toEqual([
      'is',
      'refund',
      'paid',
      'in',
      'letters',
    ]);
    expect(matchedWords('payment', text)).toEqual([]);
  });

  it('are marked in the text, which is otherwise unchanged', () => {
    const parts = matchedParts('Über refunds: <b>paid</b>.', ['refund', 'paid']);
    expect(parts).toEqual([
      { text: 'Über ', isMatch: false },
      { text: 'refunds', isMatch: true },
      { text: ': <b>', isMatch: false },
      { text: 'paid', isMatch: true },
      { text: '</b>.', isMatch: false },
    ]);
  });
});
