export interface Correction {
  word: string;
  passages: number;
  distance: number;
}

const SHORTEST = 4;
const TWO_MISTAKES_FROM = 8;
const MAX_CORRECTIONS = 3;

/** It is 0 for short words and words with digits. */
export function mistakesAllowed(word: string): number {
  if (word.length < SHORTEST || /\p{N}/u.test(word)) return 0;
  return word.length < TWO_MISTAKES_FROM ? 1 : 2;
}

export function nearbySpellings(word: string): string[] {
  const letters = [...word];
  const swapped = letters.slice(1).map((_, n) => spliced(letters, n, 2, [letters[n + 1] ?? '', letters[n] ?? '']));
  const shortened = letters.map((_, n) => spliced(letters, n, 1, []));
  return [...new Set([...swapped, ...shortened])].filter((each) => each !== word && each !== '');
}

export function corrections(misspelt: string, found: readonly { word: string; passages: number }[]): Correction[] {
  const allowed = mistakesAllowed(misspelt);
  const near = found
    .map(({ word, passages }) => ({ word, passages, distance: distanceBetween(misspelt, word, allowed) }))
    .filter(({ distance }) => distance <= allowed);
  const nearest = Math.min(...near.map(({ distance }) => distance));
  return near
    .filter(({ distance }) => distance === nearest)
    .sort((a, b) => b.passages - a.passages)
    .slice(0, MAX_CORRECTIONS);
}

function spliced(letters: readonly string[], at: number, count: number, put: readonly string[]): string {
  return letters.toSpliced(at, count, ...put).join('');
}

/** Returns at most `limit + 1`. */
function distanceBetween(one: string, other: string, limit: number): number {
  const [a, b] = [[...one], [...other]];
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = above;
    above = row;
  }
  return Math.min(above[b.length] ?? 0, limit + 1);
}
