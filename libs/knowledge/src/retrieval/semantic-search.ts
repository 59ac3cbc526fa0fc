import type { EmbeddingClient } from '../embedding/embedding.client.js';
import { EmbeddingError } from '../embedding/embedding-answer.js';
import { cosine, vectorOf } from '../embedding/vectors.js';
import type { FoundPassage } from './found-passages.js';
import type { SearchedBase } from './passage-search.repository.js';
import type { RunReader } from './run-reader.js';
import type { VectorSearchRepository } from './vector-search.repository.js';

export interface SemanticQuestion {
  workspaceId: string;
  base: SearchedBase;
  query: string;
  reader: RunReader | null;
}

/** Minimum number of passages whose vectors are compared exactly. */
const COMPARED = 400;
const MAX_QUESTION = 8_000;
/** They are short, because the caller waits for the result. */
const LIMITS = { timeoutMillis: 5_000, attempts: 2, longestPauseMillis: 1_000 };

export class SemanticSearch {
  constructor(
    private readonly embedder: EmbeddingClient,
    private readonly vectors: VectorSearchRepository,
  ) {}

  /**
   * The score is the cosine of the angle, from 0 to 1.
   * @throws EmbeddingError if the provider fails, if the knowledge base has no vectors yet, or if the vector of the
   * question has another number of dimensions than the stored vectors
   */
  async findPassages({ workspaceId, base, query, reader }: SemanticQuestion, limit: number): Promise<FoundPassage[]> {
    const { embedding } = base.indexed;
    if (!embedding)
      throw new EmbeddingError('unavailable', 'The base has no vectors yet. The vectors are being created.');
    if (query.trim() === '') return [];
    const dimensions = await this.vectors.readDimensions(workspaceId, base);
    if (dimensions === null && base.passages === 0) return [];
    if (dimensions === null) throw new EmbeddingError('unavailable', 'No passage of the base has a vector yet.');
    const signal = AbortSignal.timeout(2 * LIMITS.timeoutMillis);
    const text = query.slice(0, MAX_QUESTION).toWellFormed();
    const [question] = await this.embedder.embedTexts(embedding, [text], { ...LIMITS, signal });
    if (question?.length !== dimensions) {
      const message = `The model returns vectors of ${question?.length ?? 0} dimensions, but the stored vectors of the base have ${dimensions}.`;
      throw new EmbeddingError('unusable', message);
    }
    return this.findNearest({ workspaceId, base, query, reader }, question, limit);
  }

  private async findNearest(
    { workspaceId, base, reader }: SemanticQuestion,
    question: Float32Array,
    limit: number,
  ): Promise<FoundPassage[]> {
    const near = await this.vectors.findNearest(workspaceId, base, reader, question, Math.max(COMPARED, 4 * limit));
    const places = near
      .map(({ vector, ...place }) => ({
        ...place,
        score: Math.min(1, Math.max(0, cosine(question, vectorOf(vector)))),
      }))
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
    const scores = new Map(places.map(({ document_id, n, score }) => [`${document_id}#${n}`, score]));
    const passages = await this.vectors.readPassages(workspaceId, base, reader, places);
    return passages.map((passage) => ({
      ...passage,
      score: scores.get(`${passage.document.id}#${passage.chunk}`) ?? 0,
    }));
  }
}
