import { notFound } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { KnowledgeSettings } from '../bases/knowledge-settings.js';
import { EmbeddingError } from '../embedding/embedding-answer.js';
import { type FoundPassage, fuseRankings } from './found-passages.js';
import { EmbeddingClient } from '../embedding/embedding.client.js';
import { KeywordSearch } from './keyword-search.js';
import { PassageSearchRepository, type SearchedBase } from './passage-search.repository.js';
import type { RunReader } from './run-reader.js';
import { type Question, readQuestion } from './search-plan.js';
import { SemanticSearch } from './semantic-search.js';
import { VectorSearchRepository } from './vector-search.repository.js';

export interface SearchRequest {
  base: string;
  query: string;
  topK?: number;
  /** If null, no grants are checked, because the API has authorised the person. */
  reader: RunReader | null;
}

export interface SearchMethod {
  mode: KnowledgeSettings['retrieval']['mode'];
  /** The reason why the mode differs from the settings of the knowledge base; null if it does not differ. */
  fallback: string | null;
}

export type SearchOutcome =
  | { status: 'unknown' }
  | { status: 'denied'; base: { id: string; name: string } }
  | ({ status: 'found'; base: { id: string; name: string }; passages: FoundPassage[] } & SearchMethod);

const FUSED_DEPTH = 100;

@Injectable()
export class KnowledgeSearchService {
  private readonly keyword: KeywordSearch;
  private readonly semantic: SemanticSearch;

  constructor(
    private readonly searches: PassageSearchRepository,
    vectors: VectorSearchRepository,
    embedder: EmbeddingClient,
  ) {
    this.keyword = new KeywordSearch(searches);
    this.semantic = new SemanticSearch(embedder, vectors);
  }

  /**
   * Each statement checks the grants, so the removal of a grant takes effect even during a search. If the embedding
   * provider fails, falls back to keyword search.
   */
  async search(workspaceId: string, { base: name, query, topK, reader }: SearchRequest): Promise<SearchOutcome> {
    const question = readQuestion(query);
    const found = await this.searches.prepareSearch(workspaceId, name, reader, question);
    if (!found) return { status: 'unknown' };
    const base = { id: found.id, name: found.name };
    if (!found.allowed) return { status: 'denied', base };
    const { top_k, min_score } = found.settings.retrieval;
    const limit = topK ?? top_k;
    const prepared = { workspaceId, base: found, query, question, limit, reader };
    const { passages, ...method } = await this.searchByMode(prepared);
    const good = passages.filter(({ score }) => score >= min_score).slice(0, limit);
    return { status: 'found', base, passages: good, ...method };
  }

  async findPassages(workspaceId: string, base: string, query: string, topK?: number): Promise<FoundPassage[]> {
    const limit = topK === undefined ? {} : { topK };
    const outcome = await this.search(workspaceId, { base, query, reader: null, ...limit });
    if (outcome.status !== 'found') throw notFound('knowledge base', base);
    return outcome.passages;
  }

  private async searchByMode(prepared: PreparedSearch): Promise<SearchMethod & { passages: FoundPassage[] }> {
    const { mode } = prepared.base.settings.retrieval;
    if (mode === 'keyword')
      return { mode, fallback: null, passages: await this.searchByWords(prepared, prepared.limit) };
    try {
      if (mode === 'semantic')
        return { mode, fallback: null, passages: await this.semantic.findPassages(prepared, prepared.limit) };
      const [byMeaning, byWords] = await Promise.all([
        this.semantic.findPassages(prepared, FUSED_DEPTH),
        this.searchByWords(prepared, FUSED_DEPTH),
      ]);
      return { mode, fallback: null, passages: fuseRankings([byWords, byMeaning]) };
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error;
      return { mode: 'keyword', fallback: error.message, passages: await this.searchByWords(prepared, prepared.limit) };
    }
  }

  private searchByWords(
    { workspaceId, base, question, reader }: PreparedSearch,
    limit: number,
  ): Promise<FoundPassage[]> {
    return this.keyword.findPassages(workspaceId, base, question.words, limit, reader);
  }
}

interface PreparedSearch {
  workspaceId: string;
  base: SearchedBase;
  query: string;
  question: Question;
  limit: number;
  reader: RunReader | null;
}
