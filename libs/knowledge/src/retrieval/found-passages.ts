export interface FoundPassage {
  document: { id: string; title: string; url: string | null; version: number };
  chunk: number;
  /** The headings above the passage, outermost first, joined by ` › `. */
  heading: string;
  text: string;
  /** Score from 0 to 1, as a share of the best possible score. */
  score: number;
  start: number;
  end: number;
}

/** Each passage occurs once. */
export function mergePassages(some: readonly FoundPassage[], others: readonly FoundPassage[]): FoundPassage[] {
  const all = new Map([...some, ...others].map((passage) => [keyOf(passage), passage]));
  return [...all.values()].sort((a, b) => b.score - a.score);
}

/** The larger it is, the less the first ranks differ from later ranks. */
const K = 60;

/**
 * Merges rankings by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), best first. A passage that is first in
 * every list has the maximum score of 1.
 */
export function fuseRankings(lists: readonly (readonly FoundPassage[])[]): FoundPassage[] {
  const passages = new Map<string, FoundPassage>();
  for (const list of lists) {
    for (const [rank, passage] of list.entries()) {
      const name = keyOf(passage);
      const share = (K + 1) / (K + 1 + rank) / lists.length;
      passages.set(name, { ...passage, score: (passages.get(name)?.score ?? 0) + share });
    }
  }
  return [...passages.values()].sort((a, b) => b.score - a.score);
}

function keyOf({ document, chunk }: FoundPassage): string {
  return `${document.id}#${chunk}`;
}
