const MAX_COMPARED_LENGTH = 64;
const MAX_LISTED_NAMES = 10;

/**
 * At most a third of the letters may differ, and a transposition counts as one difference. If two candidates are
 * equally similar, returns the first.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_COMPARED_LENGTH) return undefined;
  const written = normalise(word);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate.length > MAX_COMPARED_LENGTH || Math.abs(candidate.length - word.length) >= bestDistance + 2)
      continue;
    const distance = editDistance(written, normalise(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

export function nearest(word: string, candidates: Iterable<string>): string {
  const written = normalise(word.slice(0, MAX_COMPARED_LENGTH));
  let [best, bestDistance] = ['', Infinity];
  for (const candidate of candidates) {
    const distance = editDistance(written, normalise(candidate.slice(0, MAX_COMPARED_LENGTH)));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const candidate = closest(word, candidates);
  return candidate === undefined ? undefined : `Did you mean \`${candidate}\`?`;
}

/** Returns the name that a suggestion of {@link didYouMean} proposes. */
export function proposedName(suggestion: string): string | undefined {
  return /\bDid you mean `([^`]+)`\?$/.exec(suggestion)?.[1];
}

function normalise(word: string): string {
  return word
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}

function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

export function suggestName(name: string, names: readonly string[], ifNone: string): string {
  if (names.length === 0) return ifNone;
  const more = names.length > MAX_LISTED_NAMES ? ' and more' : '';
  return (
    didYouMean(name, names) ??
    `Available names: ${names
      .slice(0, MAX_LISTED_NAMES)
      .map((one) => `\`${one}\``)
      .join(', ')}${more}.`
  );
}
