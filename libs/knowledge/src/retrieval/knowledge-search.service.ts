import { notFound } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { KnowledgeSettings } from '../bases/knowledge-settings.js';
import { EmbeddingError } from '../embedding/embedding-error.js';
import type { FoundPassage } from './found-passages.js';
import { KeywordSearchService } from './keyword-search.service.js';
import { PassageSearchRepository, type SearchedBase } from './passage-search.repository.js';
import { type Question, readQuestion } from './question.js';
import { fuseRankings } from './rank-fusion.js';
import type { RunReader } from './run-reader.js';
import { SemanticSearchService } from './semantic-search.service.js';

export interface SearchRequest {
  /** Id or name of the base. */
  base: string;
  query: string;
  /** Default: what the base's settings say. */
  topK?: number;
  /** Null: somebody whom the API has let in, and no run. */
  reader: RunReader | null;
}

/** How passages were looked for. */
export interface SearchManner {
  mode: KnowledgeSettings['retrieval']['mode'];
  /** Why it is not the mode that the base's settings ask for; null where it is. */
  fallback: string | null;
}

export type SearchOutcome =
  | { status: 'unknown' }
  | { status: 'denied'; base: { id: string; name: string } }
  | ({ status: 'found'; base: { id: string; name: string }; passages: FoundPassage[] } & SearchManner);

/** Passages of each ranking that a fusion looks at. */
const FUSED_DEPTH = 100;

/** Finds passages of a base, best first, for whoever may read it at this very moment. */
@Injectable()
export class KnowledgeSearchService {
  constructor(
    private readonly statements: PassageSearchRepository,
    private readonly keyword: KeywordSearchService,
    private readonly semantic: SemanticSearchService,
  ) {}

  /**
   * Reads the grants again in each of its statements: what is taken away while it works is not found. Where the provider of
   * embeddings does not answer, the words of the question alone decide.
   */
  async search(workspaceId: string, { base: name, query, topK, reader }: SearchRequest): Promise<SearchOutcome> {
    const question = readQuestion(query);
    const found = await this.statements.prepareSearch(workspaceId, name, reader, question);
    if (!found) return { status: 'unknown' };
    const base = { id: found.id, name: found.name };
    if (!found.allowed) return { status: 'denied', base };
    const { top_k, min_score } = found.settings.retrieval;
    const limit = topK ?? top_k;
    const asked = { workspaceId, base: found, query, question, limit, reader };
    const { passages, ...manner } = await this.passagesOf(asked);
    const good = passages.filter(({ score }) => score >= min_score).slice(0, limit);
    return { status: 'found', base, passages: good, ...manner };
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

  private async passagesOf(asked: Asked): Promise<SearchManner & { passages: FoundPassage[] }> {
    const { mode } = asked.base.settings.retrieval;
    if (mode === 'keyword') return { mode, fallback: null, passages: await this.byWords(asked, asked.limit) };
    try {
      if (mode === 'semantic')
        return { mode, fallback: null, passages: await this.semantic.findPassages(asked, asked.limit) };
      const [byMeaning, byWords] = await Promise.all([
        this.semantic.findPassages(asked, FUSED_DEPTH),
        this.byWords(asked, FUSED_DEPTH),
      ]);
      return { mode, fallback: null, passages: fuseRankings([byWords, byMeaning]) };
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error;
      return { mode: 'keyword', fallback: error.message, passages: await this.byWords(asked, asked.limit) };
    }
  }

  private byWords({ workspaceId, base, question, reader }: Asked, limit: number): Promise<FoundPassage[]> {
    return this.keyword.findPassages(workspaceId, base, question.words, limit, reader);
  }
}

interface Asked {
  workspaceId: string;
  base: SearchedBase;
  query: string;
  question: Question;
  limit: number;
  reader: RunReader | null;
}
