import { type FoundPassage, mergePassages } from './found-passages.js';
import { corrections, mistakesAllowed, nearbySpellings } from './misspelling.js';
import type { PassageSearchRepository, SearchedBase } from './passage-search.repository.js';
import type { RunReader } from './run-reader.js';
import { lexeme, MAX_CANDIDATES, planSearch, type SearchTerm } from './search-plan.js';

const CORRECTION_WEIGHT = 0.7;

export class KeywordSearch {
  constructor(private readonly passages: PassageSearchRepository) {}

  /** Returns the best passages first. `base` must be the result of `prepareSearch` for the same words. */
  async findPassages(
    workspaceId: string,
    base: SearchedBase,
    words: readonly string[],
    limit: number,
    reader: RunReader | null,
  ): Promise<FoundPassage[]> {
    const plan = planSearch(await this.terms(base, words), base.phrases, base.passages);
    let passages: FoundPassage[] = [];
    for (const wanted of plan.candidates) {
      const candidates = `${lexeme(`${base.id}:${base.generation}`)} & (${wanted})`;
      const ranking = { base, candidates, mostCandidates: MAX_CANDIDATES, terms: plan.terms, limit };
      passages = mergePassages(passages, await this.passages.rankPassages(workspaceId, reader, ranking)).slice(
        0,
        limit,
      );
      if (passages.length >= limit) break;
    }
    return passages;
  }

  private async terms(base: SearchedBase, words: readonly string[]): Promise<SearchTerm[]> {
    const byWord = byPosition(base.stems);
    const known = [...byWord].map(([n, stems]) => ({
      n,
      stems,
      passages: sum(stems.map(({ passages }) => passages)),
      among: Math.min(base.passages, sum(stems.map(({ among }) => among))),
    }));
    const terms = known
      .filter(({ passages }) => passages > 0)
      .map(({ stems, passages, among }) => {
        const present = stems.filter((stem) => stem.passages > 0);
        return { stems: present.map(({ stem }) => stem), passages, among, weight: 1 };
      });
    const unknown = known
      .filter(({ n, passages }) => passages === 0 && mistakesAllowed(words[n - 1] ?? '') > 0)
      .flatMap(({ n, stems }) => stems.slice(0, 1).map(({ stem }) => ({ n, word: stem })));
    return base.corrects && unknown.length > 0 ? [...terms, ...(await this.correctWords(base, unknown))] : terms;
  }

  private async correctWords(
    base: SearchedBase,
    unknown: readonly { n: number; word: string }[],
  ): Promise<SearchTerm[]> {
    const nearby = unknown.flatMap(({ n, word }) => nearbySpellings(word).map((spelling) => ({ n, word: spelling })));
    const found = byPosition(await this.passages.findSimilarWords(base, unknown, nearby));
    return unknown.flatMap(({ n, word }) => {
      const [first, ...others] = corrections(word, found.get(n) ?? []);
      if (!first) return [];
      const all = [first, ...others];
      const weight = CORRECTION_WEIGHT ** Math.max(1, first.distance);
      const passages = sum(all.map((each) => each.passages));
      return [{ stems: all.map((each) => each.word), passages, among: base.passages, weight }];
    });
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function byPosition<T extends { n: number }>(found: readonly T[]): Map<number, T[]> {
  const places = new Map<number, T[]>();
  for (const each of found) places.set(each.n, [...(places.get(each.n) ?? []), each]);
  return places;
}
