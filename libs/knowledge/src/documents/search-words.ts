import { initials, numericForms, otherSpellings } from './word-forms.js';

export interface SearchWords {
  text: string;
  count: number;
  /**
   * Other forms of the words: compound names without their separators (`pgstatactivity` for `pg_stat_activity`), other
   * spellings, and numbers and dates in one form.
   */
  names: string[];
}

const NOT_ASCII = /[^\x20-\x7e\s]|\uFEFF/;
/** Soft hyphens, zero-width spaces and joiners, and marks of the writing direction. They do not divide words. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** It belongs either to the word or to the line break. */
const LINE_END_HYPHEN = /(?<=[\p{L}\p{N}\p{M}])[-\u00AD\u2010][^\S\n]{0,9}\n\s{0,99}(?=[\p{L}\p{N}])/gu;
/** Separates thousands in Swiss numbers: `1'000'000`. */
const THOUSANDS_APOSTROPHE = /(?<=\d)'(?=\d{3}(?!\d))/g;
const ASCII_WORDS = /[A-Za-z0-9]+(?:(?<=[0-9])[.,](?=[0-9])[0-9]+|(?<=[A-Za-z])'(?=[A-Za-z])[A-Za-z]+)*/g;
const WORDS = /[\p{L}\p{N}\p{M}]+(?:(?<=\p{N})[.,](?=\p{N})\p{N}+|(?<=[\p{L}\p{M}])'(?=\p{L})[\p{L}\p{M}]+)*/gu;
/** A pattern that requires a separator would take quadratic time for a long word. */
const ASCII_COMPOUNDS = /[A-Za-z0-9]+(?:(?:[.-]|_+|::|->)[A-Za-z0-9]+)*/g;
const COMPOUNDS = /[\p{L}\p{N}\p{M}]+(?:(?:[.-]|_+|::|->)[\p{L}\p{N}\p{M}]+)*/gu;
const SEPARATOR = /[._:>-]/;
const SEPARATORS = /[._:>-]+/g;
/** Separators between parts that may be compound names too, such as the point in `asyncio.wait_for`. */
const MEMBER_SEPARATORS = /\.|::|->/;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u;
/** Longer sequences of letters and digits are ignored: they are encoded data, keys or hashes. */
const MAX_WORD = 100;
const MAX_NAME = 60;
const SHORTEST_NAME = 4;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * Applies Unicode normalisation (NFKC) and drops separators, so that `refund/return` and `order-id` are two words each.
 * A word that is divided at the end of a line is also one of the names. Scripts without spaces are segmented (UAX 29
 * with the dictionaries of ICU).
 */
export function searchWords(text: string): SearchWords {
  const isAscii = !NOT_ASCII.test(text);
  const plain = (isAscii ? text.replace(LINE_END_HYPHEN, '-') : normalised(text)).replace(THOUSANDS_APOSTROPHE, '');
  const words = isAscii ? (plain.match(ASCII_WORDS) ?? []) : wordsOf(plain);
  const kept = words.filter((word) => word.length <= MAX_WORD);
  const compounds = plain.match(isAscii ? ASCII_COMPOUNDS : COMPOUNDS) ?? [];
  const spellings = [...new Set(kept)].flatMap(otherSpellings);
  const names = [...compounds.flatMap(namesIn), ...spellings, ...initials(plain), ...numericForms(plain)];
  return { text: kept.join(' '), count: kept.length, names };
}

function normalised(text: string): string {
  return text
    .replace(LINE_END_HYPHEN, '-')
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    .replace(/[’‘ʼ]/g, "'")
    .replaceAll('\u2010', '-');
}

/** The names come last so that the positions of the words do not change. */
export function indexedWords({ text, names }: SearchWords): string {
  return names.length === 0 ? text : `${text} ${names.join(' ')}`;
}

function namesIn(compound: string): string[] {
  if (compound.length > MAX_NAME || !SEPARATOR.test(compound)) return [];
  const members = compound.split(MEMBER_SEPARATORS);
  const names = (members.length > 1 ? [compound, ...members] : members)
    .filter((name) => SEPARATOR.test(name))
    .map((name) => name.replace(SEPARATORS, ''));
  return names.filter((name) => name.length >= SHORTEST_NAME && /\p{L}/u.test(name));
}

function wordsOf(text: string): string[] {
  const words: string[] = text.match(WORDS) ?? [];
  return UNSPACED.test(text) ? words.flatMap((word) => (UNSPACED.test(word) ? segmented(word) : [word])) : words;
}

function segmented(run: string): string[] {
  return [...segmenter.segment(run)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}
