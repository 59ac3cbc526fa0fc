const WORD = /[\p{L}\p{N}]+/gu;
/** A word with fewer letters than this matches only an equal word, so that `in` does not match `invoice`. */
const SHORTEST_STEM = 4;

/**
 * Returns the words of the query that occur in the text, possibly with another ending. The service compares word stems,
 * which the browser cannot compute. Therefore two words match here if they differ only in the last few letters.
 */
export function matchedWords(query: string, text: string): string[] {
  const present = new Set(wordsOf(text));
  return [...new Set(wordsOf(query))].filter((word) => [...present].some((other) => isSameWord(word, other)));
}

export function matchedParts(text: string, words: readonly string[]): { text: string; isMatch: boolean }[] {
  const parts: { text: string; isMatch: boolean }[] = [];
  const add = (part: string, isMatch: boolean): void => {
    const last = parts.at(-1);
    if (part === '') return;
    if (last?.isMatch === isMatch) last.text += part;
    else parts.push({ text: part, isMatch });
  };
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    add(text.slice(end, index), false);
    const lower = word.toLowerCase();
    add(word, words.some((each) => isSameWord(each, lower))); // prettier-ignore
    end = index + word.length;
  }
  add(text.slice(end), false);
  return parts;
}

function isSameWord(word: string, other: string): boolean {
  if (word === other) return true;
  const stem = Math.max(SHORTEST_STEM, Math.min(word.length, other.length) - 2);
  return word.length >= SHORTEST_STEM && other.length >= SHORTEST_STEM && word.slice(0, stem) === other.slice(0, stem)
    ? Math.abs(word.length - other.length) <= 3
    : false;
}

function wordsOf(text: string): string[] {
  return Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase());
}
