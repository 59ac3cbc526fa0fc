export interface MarkedLine {
  text: string;
  /** True if the other text does not contain this line, or contains it only at another place. */
  isChanged: boolean;
}

/**
 * Limit for a full comparison of two texts. The time for this comparison grows with the product of the two line counts.
 * If the product exceeds the limit, each line is compared only with the line of the same number.
 */
const MAX_PAIRS = 1_000_000;

/** Splits both texts into lines and marks the lines that the other text does not have at the same place. */
export function lineDifference(before: string, after: string): { before: MarkedLine[]; after: MarkedLine[] } {
  const [old, young] = [before.split('\n'), after.split('\n')];
  const common = old.length * young.length > MAX_PAIRS ? samePlaces(old, young) : longestCommon(old, young);
  const mark = (lines: string[], side: 0 | 1): MarkedLine[] => {
    const kept = new Set(common.map((pair) => pair[side]));
    return lines.map((text, index) => ({ text, isChanged: !kept.has(index) }));
  };
  return { before: mark(old, 0), after: mark(young, 1) };
}

type Pair = readonly [old: number, young: number];

function samePlaces(old: readonly string[], young: readonly string[]): Pair[] {
  return old.flatMap((line, index) => (line === young[index] ? [[index, index] as const] : []));
}

/** Returns the pairs of equal lines in the longest common subsequence of both texts, as line indexes. */
function longestCommon(old: readonly string[], young: readonly string[]): Pair[] {
  const width = young.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (a: number, b: number): number => lengths[a * width + b] ?? 0;
  for (let a = old.length - 1; a >= 0; a--)
    for (let b = young.length - 1; b >= 0; b--)
      lengths[a * width + b] = old[a] === young[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1));
  const pairs: Pair[] = [];
  for (let a = 0, b = 0; a < old.length && b < young.length;) {
    if (old[a] === young[b]) pairs.push([a++, b++]);
    else if (at(a + 1, b) >= at(a, b + 1)) a++;
    else b++;
  }
  return pairs;
}
