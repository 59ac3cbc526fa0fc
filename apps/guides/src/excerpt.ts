export interface ExcerptPart {
  text: string;
  isMatch: boolean;
}

const BEFORE = 50;
const LENGTH = 170;

/**
 * Returns the part of the text around the first occurrence of one of the words. All occurrences in this part are
 * marked.
 */
export function excerptOf(text: string, words: readonly string[]): ExcerptPart[] {
  const pattern = wordPattern(words);
  const first = pattern === undefined ? 0 : Math.max(0, text.search(pattern));
  const start = first > BEFORE ? text.lastIndexOf(' ', first - BEFORE) + 1 : 0;
  const end = start + LENGTH < text.length ? text.lastIndexOf(' ', start + LENGTH) : text.length;
  const shown = text.slice(start, end > first ? end : start + LENGTH);
  const parts = (pattern === undefined ? [shown] : shown.split(pattern)).map((part, index) => ({
    text: part,
    // If the pattern of `split` has a capturing group, the matches are at the odd positions of the result.
    isMatch: index % 2 === 1,
  }));
  const ellipsis = (isCut: boolean): ExcerptPart[] => (isCut ? [{ text: '…', isMatch: false }] : []);
  return [
    ...ellipsis(start > 0),
    ...parts.filter((part) => part.text !== ''),
    ...ellipsis(start + shown.length < text.length),
  ];
}

function wordPattern(words: readonly string[]): RegExp | undefined {
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  const alternatives = longestFirst.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return alternatives.length === 0 ? undefined : new RegExp(`(${alternatives.join('|')})`, 'gi');
}
