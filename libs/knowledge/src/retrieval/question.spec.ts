import { readQuestion } from './question.js';

describe('a question', () => {
  it('is its words, each once, and its phrases', () => {
    expect(readQuestion('Refund "within five days" or „innerhalb von Tagen“ refund?')).toEqual({
      words: ['refund', 'within', 'five', 'days', 'or', 'innerhalb', 'von', 'tagen'],
      phrases: ['within five days', 'innerhalb von Tagen'],
    });
  });

  it('takes a quoted word for a word, and an open quotation mark for nothing', () => {
    expect(readQuestion('"refund" 5" pipe')).toEqual({ words: ['refund', '5', 'pipe'], phrases: [] });
  });

  it('may be empty, or a whole letter', () => {
    expect(readQuestion(' ?! ')).toEqual({ words: [], phrases: [] });
    expect(readQuestion(Array.from({ length: 10_000 }, (_, n) => `w${n}`).join(' ')).words).toHaveLength(64);
    expect(readQuestion('"'.repeat(100_000)).phrases).toEqual([]);
  });
});
