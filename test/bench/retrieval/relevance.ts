import type { JudgedQuery } from './corpus.js';

/** Relevance of search results. Each value is a mean over all queries. */
export interface Relevance {
  /**
   * Normalised discounted cumulative gain of the first ten results, with the gain 2^grade - 1 (Järvelin and Kekäläinen
   * 2002).
   */
  ndcg: number;
  /**
   * Share of the documents of grade 2 or 3 that are among the first ten results. If more than ten documents have these
   * grades, the number found is divided by ten.
   */
  recall: number;
}

const DEPTH = 10;
const RELEVANT_FROM = 2;

export async function relevanceOf(
  queries: readonly JudgedQuery[],
  search: (query: string) => Promise<string[]> | string[],
): Promise<Relevance> {
  let [ndcg, recall] = [0, 0];
  for (const query of queries) {
    const found = (await search(query.text)).slice(0, DEPTH);
    const gains = found.map((key) => query.grades.get(key) ?? 0);
    const ideal = [...query.grades.values()].sort((a, b) => b - a).slice(0, DEPTH);
    ndcg += discounted(gains) / discounted(ideal);
    const relevant = [...query.grades.values()].filter((grade) => grade >= RELEVANT_FROM).length;
    recall += gains.filter((grade) => grade >= RELEVANT_FROM).length / Math.min(DEPTH, relevant);
  }
  return { ndcg: ndcg / queries.length, recall: recall / queries.length };
}

function discounted(grades: readonly number[]): number {
  return grades.reduce((sum, grade, rank) => sum + (2 ** grade - 1) / Math.log2(rank + 2), 0);
}
