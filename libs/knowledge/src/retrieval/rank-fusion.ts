import type { FoundPassage } from './found-passages.js';

/** How much the first places count more than the later ones: the constant of the method's authors. */
const K = 60;

/**
 * One list out of several, best first: reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). Scores are shares of what a
 * passage gets that is the first of every list.
 */
export function fuseRankings(lists: readonly (readonly FoundPassage[])[]): FoundPassage[] {
  const passages = new Map<string, FoundPassage>();
  for (const list of lists) {
    for (const [rank, passage] of list.entries()) {
      const name = `${passage.document.id}#${passage.chunk}`;
      const share = (K + 1) / (K + 1 + rank) / lists.length;
      passages.set(name, { ...passage, score: (passages.get(name)?.score ?? 0) + share });
    }
  }
  return [...passages.values()].sort((a, b) => b.score - a.score);
}
