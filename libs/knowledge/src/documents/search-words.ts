/** What the full-text search is given of a text. */
export interface SearchWords {
  /** The words, separated by single spaces. */
  text: string;
  count: number;
}

const NOT_ASCII = /[^\x20-\x7e\s]/;
/** Runs of letters and digits; a point or comma stays between digits, an apostrophe between letters. */
const ASCII_WORDS = /[A-Za-z0-9]+(?:(?<=[0-9])[.,](?=[0-9])[0-9]+|(?<=[A-Za-z])'(?=[A-Za-z])[A-Za-z]+)*/g;
const WORDS = /[\p{L}\p{N}\p{M}]+(?:(?<=\p{N})[.,](?=\p{N})\p{N}+|(?<=[\p{L}\p{M}])'(?=\p{L})[\p{L}\p{M}]+)*/gu;
/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u;
/** Longer ones are no words: encoded data, keys, hashes. */
const LONGEST_WORD = 100;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * The words of a text, as passages and questions are both read: compatibility forms are made plain (NFKC), what stands around and
 * between words is dropped (so `refund/return` and `order-id` are two words each), and scripts without spaces are segmented
 * (UAX 29 with ICU's dictionaries). Stems and stop words are left to Postgres, which knows the language.
 */
export function searchWords(text: string): SearchWords {
  const words = NOT_ASCII.test(text)
    ? wordsOf(text.normalize('NFKC').replaceAll('’', "'"))
    : (text.match(ASCII_WORDS) ?? []);
  const kept = words.filter((word) => word.length <= LONGEST_WORD);
  return { text: kept.join(' '), count: kept.length };
}

function wordsOf(text: string): string[] {
  const words: string[] = text.match(WORDS) ?? [];
  return UNSPACED.test(text) ? words.flatMap((word) => (UNSPACED.test(word) ? segmented(word) : [word])) : words;
}

function segmented(run: string): string[] {
  return [...segmenter.segment(run)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}
