import { indexedWords, searchWords } from '../documents/search-words.js';

/** What somebody searches for. */
export interface Question {
  /** Every word once, those of phrases included. */
  words: readonly string[];
  /** What stood in quotation marks: its words have to follow one another. */
  phrases: readonly string[];
}

/** More words than a person asks with; a longer text is searched by its first ones. */
const MOST_WORDS = 64;
const MOST_PHRASES = 8;
const QUOTED = /["“”„«»]([^"“”„«»]{1,500})["“”„«»]/gu;

export function readQuestion(query: string): Question {
  const phrases = new Set<string>();
  for (const [, quoted = ''] of query.matchAll(QUOTED)) {
    const words = searchWords(quoted);
    if (words.count > 1) phrases.add(words.text);
  }
  const words = new Set(indexedWords(searchWords(query)).toLowerCase().split(' ').filter(Boolean));
  return { words: [...words].slice(0, MOST_WORDS), phrases: [...phrases].slice(0, MOST_PHRASES) };
}
