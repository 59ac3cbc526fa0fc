import { notFound } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { corrections, mistakesAllowed, nearbySpellings } from './misspelling.js';
import type { FoundPassage } from './found-passage.js';
import { PassageSearch, type SearchedBase } from './passage-search.repository.js';
import { readQuestion } from './question.js';
import type { RunReader } from './reader.js';
import { lexeme, MOST_CANDIDATES, planSearch, type SearchTerm } from './search-plan.js';

export interface SearchRequest {
  /** Id or name of the base. */
  base: string;
  query: string;
  /** Default: what the base's settings say. */
  topK?: number;
  /** Null: somebody whom the API has let in, and no run. */
  reader: RunReader | null;
}

export type SearchOutcome =
  | { status: 'unknown' }
  | { status: 'denied'; base: { id: string; name: string } }
  | { status: 'found'; base: { id: string; name: string }; passages: FoundPassage[] };

/** A guess at a misspelt word counts this much for each letter that differs. */
const GUESS_WEIGHT = 0.7;

/** Finds passages of a base, best first, for whoever may read it at this very moment. */
@Injectable()
export class KnowledgeSearch {
  constructor(private readonly statements: PassageSearch) {}

  /** Reads the grants again in each of its statements: what is taken away while it works is not found. */
  async search(workspaceId: string, { base: name, query, topK, reader }: SearchRequest): Promise<SearchOutcome> {
    const question = readQuestion(query);
    const found = await this.statements.prepare(workspaceId, name, reader, question);
    if (!found) return { status: 'unknown' };
    const base = { id: found.id, name: found.name };
    if (!found.allowed) return { status: 'denied', base };
    const { top_k, min_score } = found.settings.retrieval;
    const passages = await this.ranked(workspaceId, found, question.words, topK ?? top_k, reader);
    return { status: 'found', base, passages: passages.filter(({ score }) => score >= min_score) };
  }

  /**
   * What somebody finds whom the API has let in: all that answers the query in a base, best first.
   * @throws DomainError `not_found`
   */
  async passages(workspaceId: string, base: string, query: string, topK?: number): Promise<FoundPassage[]> {
    const limit = topK === undefined ? {} : { topK };
    const outcome = await this.search(workspaceId, { base, query, reader: null, ...limit });
    if (outcome.status !== 'found') throw notFound('knowledge base', base);
    return outcome.passages;
  }

  private async ranked(
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
      const ranking = { base, candidates, mostCandidates: MOST_CANDIDATES, terms: plan.terms, limit };
      passages = merged(passages, await this.statements.rank(workspaceId, reader, ranking)).slice(0, limit);
      if (passages.length >= limit) break;
    }
    return passages;
  }

  /** The words of the question as the base knows them, with guesses at those that it does not. */
  private async terms(base: SearchedBase, words: readonly string[]): Promise<SearchTerm[]> {
    const byWord = byPlace(base.stems);
    const known = [...byWord].map(([n, stems]) => ({ n, stems, passages: sum(stems.map(({ passages }) => passages)) }));
    const terms = known
      .filter(({ passages }) => passages > 0)
      .map(({ stems, passages }) => {
        const there = stems.filter((stem) => stem.passages > 0);
        return { stems: there.map(({ stem }) => stem), passages, weight: 1 };
      });
    const unknown = known
      .filter(({ n, passages }) => passages === 0 && mistakesAllowed(words[n - 1] ?? '') > 0)
      .flatMap(({ n, stems }) => stems.slice(0, 1).map(({ stem }) => ({ n, word: stem })));
    return base.corrects && unknown.length > 0 ? [...terms, ...(await this.guesses(base, unknown))] : terms;
  }

  private async guesses(base: SearchedBase, unknown: readonly { n: number; word: string }[]): Promise<SearchTerm[]> {
    const nearby = unknown.flatMap(({ n, word }) => nearbySpellings(word).map((spelling) => ({ n, word: spelling })));
    const found = byPlace(await this.statements.similar(base, unknown, nearby));
    return unknown.flatMap(({ n, word }) => {
      const [first, ...others] = corrections(word, found.get(n) ?? []);
      if (!first) return [];
      const all = [first, ...others];
      const weight = GUESS_WEIGHT ** Math.max(1, first.distance);
      return [{ stems: all.map((each) => each.word), passages: sum(all.map(({ passages }) => passages)), weight }];
    });
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** What both have found, each passage once, best first. */
function merged(some: readonly FoundPassage[], others: readonly FoundPassage[]): FoundPassage[] {
  const nameOf = ({ document, chunk }: FoundPassage): string => `${document.id}#${chunk}`;
  const all = new Map([...some, ...others].map((passage) => [nameOf(passage), passage]));
  return [...all.values()].sort((a, b) => b.score - a.score);
}

/** By the place of the word in the question. */
function byPlace<T extends { n: number }>(found: readonly T[]): Map<number, T[]> {
  const places = new Map<number, T[]>();
  for (const each of found) places.set(each.n, [...(places.get(each.n) ?? []), each]);
  return places;
}
