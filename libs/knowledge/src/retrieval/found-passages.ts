/** A passage that a search has found. */
export interface FoundPassage {
  document: { id: string; title: string; url: string | null; version: number };
  /** Its number within the document, from 0. */
  chunk: number;
  /** The headings above the passage. */
  heading: string;
  text: string;
  /** 0 to 1, as a share of the best possible score. */
  score: number;
  start: number;
  end: number;
}

/** The passages of both lists, each once, best first. */
export function mergePassages(some: readonly FoundPassage[], others: readonly FoundPassage[]): FoundPassage[] {
  const all = new Map([...some, ...others].map((passage) => [keyOf(passage), passage]));
  return [...all.values()].sort((a, b) => b.score - a.score);
}

/** The constant of reciprocal rank fusion: how little the first ranks count more than later ones. */
const K = 60;

/**
 * Merges rankings by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), best first. A score is the share of
 * what a passage gets that is first in every list.
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
