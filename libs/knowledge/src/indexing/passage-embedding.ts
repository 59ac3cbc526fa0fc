import type { EmbeddingClient, EmbeddingModel, EmbeddingLimits } from '../embedding/embedding.client.js';
import { EmbeddingError } from '../embedding/embedding-answer.js';
import type { ClaimedIndex } from './index-work.store.js';
import type { WaitingPassage, WaitingPassageRepository } from './waiting-passage.repository.js';

const PARALLEL_REQUESTS = 4;
/** If the provider rejects even this text, the text of a passage is not the cause. */
const PROBE = 'text';

const LIMITS: Omit<EmbeddingLimits, 'signal'> = { timeoutMillis: 60_000, attempts: 4, longestPauseMillis: 20_000 };

/** Idempotent. */
export class PassageEmbedding {
  constructor(
    private readonly embedder: EmbeddingClient,
    private readonly waiting: WaitingPassageRepository,
  ) {}

  /**
   * Returns false if no passage waits for a vector.
   * @throws EmbeddingError after the vectors of the successful requests are stored
   */
  async embedBatch(
    index: ClaimedIndex,
    generation: number,
    model: EmbeddingModel,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { batchSize } = this.embedder.optionsOf(model);
    const passages = await this.waiting.readWaiting(index, generation, batchSize * PARALLEL_REQUESTS);
    if (passages.length === 0) return false;
    const dimensions = await this.waiting.readDimensions(index, generation);
    const embedding = new EmbeddingRequests(this.embedder, this.waiting, index, {
      generation,
      model,
      dimensions,
      signal,
    });
    const requests: Promise<void>[] = [];
    for (let n = 0; n < passages.length; n += batchSize)
      requests.push(embedding.batch(passages.slice(n, n + batchSize)));
    const [failed] = (await Promise.allSettled(requests)).filter((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    return true;
  }
}

interface EmbeddingTarget {
  generation: number;
  model: EmbeddingModel;
  dimensions: number | null;
  signal: AbortSignal;
}

class EmbeddingRequests {
  constructor(
    private readonly embedder: EmbeddingClient,
    private readonly waiting: WaitingPassageRepository,
    private readonly index: ClaimedIndex,
    private readonly target: EmbeddingTarget,
  ) {}

  async batch(passages: readonly WaitingPassage[]): Promise<void> {
    try {
      await this.put(passages);
    } catch (error) {
      if (!(error instanceof EmbeddingError) || !error.isAboutTexts) throw error;
      // The provider may have rejected only one of the texts. Each text is therefore sent alone, so that all accepted
      // texts get vectors.
      if (passages.length > 1) for (const passage of passages) await this.batch([passage]);
      else await this.refuse(passages, error);
    }
  }

  private async put(passages: readonly WaitingPassage[]): Promise<void> {
    const vectors = await this.embed(passages.map(textOf));
    const { dimensions, generation } = this.target;
    const length = vectors[0]?.length ?? 0;
    if (dimensions !== null && length !== dimensions) {
      const message = `The model returns vectors of ${length} dimensions, but the stored vectors of this base have ${dimensions}. To rebuild the index, set another model in settings.embedding, or set settings.embedding to null and then to this model again.`;
      throw new EmbeddingError('unusable', message);
    }
    await this.waiting.storeVectors(this.index, generation, passages, vectors);
  }

  /** If the provider also rejects {@link PROBE}, throws the error of that request and records nothing. */
  private async refuse(passages: readonly WaitingPassage[], { message }: EmbeddingError): Promise<void> {
    await this.embed([PROBE]);
    for (const passage of passages)
      await this.waiting.recordRefusal(this.index, this.target.generation, passage, message);
  }

  private embed(texts: string[]): Promise<Float32Array[]> {
    return this.embedder.embedTexts(this.target.model, texts, { ...LIMITS, signal: this.target.signal });
  }
}

function textOf({ title, heading, body }: WaitingPassage): string {
  return [heading.includes(title) ? '' : title, heading, body].filter(Boolean).join('\n');
}
