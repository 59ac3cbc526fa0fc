/** A line of one of two texts. */
export interface MarkedLine {
  text: string;
  /** The line is not in the other text. */
  isChanged: boolean;
}

/** Larger pairs are compared line by line, because the time grows with the product of both lengths. */
const MOST_PAIRS = 1_000_000;

/** Both texts in lines, with those marked that the other text lacks at this place. */
export function lineDifference(before: string, after: string): { before: MarkedLine[]; after: MarkedLine[] } {
  const [old, young] = [before.split('\n'), after.split('\n')];
  const common = old.length * young.length > MOST_PAIRS ? samePlaces(old, young) : longestCommon(old, young);
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

/** Pairs of equal lines: the longest sequence that both texts have in this order. */
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
