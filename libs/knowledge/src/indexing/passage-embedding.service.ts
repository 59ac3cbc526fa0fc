import { Injectable } from '@nestjs/common';
import { EmbeddingClient, type EmbeddingModel, type EmbeddingLimits } from '../embedding/embedding.client.js';
import { EmbeddingError } from '../embedding/embedding-error.js';
import type { ClaimedIndex } from './index-work.store.js';
import { type WaitingPassage, WaitingPassageRepository } from './waiting-passage.repository.js';

/** Requests that are under way at the same time for one base. */
const PARALLEL_REQUESTS = 4;
/** A text that every model takes: what refuses it refuses whoever asks. */
const PROBE = 'text';

const PATIENCE: Omit<EmbeddingLimits, 'signal'> = { timeoutMillis: 60_000, attempts: 4, longestPauseMillis: 20_000 };

/** Gives passages their vectors. Doing it twice changes nothing. */
@Injectable()
export class PassageEmbeddingService {
  constructor(
    private readonly embedder: EmbeddingClient,
    private readonly waiting: WaitingPassageRepository,
  ) {}

  /**
   * Embeds some of the passages of a generation that wait. False where none do.
   * @throws EmbeddingError; what the other requests have brought stays
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
    const put = new Putting(this.embedder, this.waiting, index, { generation, model, dimensions, signal });
    const requests: Promise<void>[] = [];
    for (let n = 0; n < passages.length; n += batchSize) requests.push(put.batch(passages.slice(n, n + batchSize)));
    const [failed] = (await Promise.allSettled(requests)).filter((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    return true;
  }
}

interface WhereTo {
  generation: number;
  model: EmbeddingModel;
  /** Of the vectors that are there. */
  dimensions: number | null;
  signal: AbortSignal;
}

/** One round of requests. */
class Putting {
  constructor(
    private readonly embedder: EmbeddingClient,
    private readonly waiting: WaitingPassageRepository,
    private readonly index: ClaimedIndex,
    private readonly to: WhereTo,
  ) {}

  async batch(passages: readonly WaitingPassage[]): Promise<void> {
    try {
      await this.put(passages);
    } catch (error) {
      if (!(error instanceof EmbeddingError) || !error.isAboutTexts) throw error;
      // One text that the provider does not take must not keep the others of its request from their vectors.
      if (passages.length > 1) for (const passage of passages) await this.batch([passage]);
      else await this.refuse(passages, error);
    }
  }

  private async put(passages: readonly WaitingPassage[]): Promise<void> {
    const vectors = await this.embed(passages.map(textOf));
    const { dimensions, generation } = this.to;
    const length = vectors[0]?.length ?? 0;
    if (dimensions !== null && length !== dimensions) {
      const message = `The model gives vectors of ${length} dimensions now, and those of this base have ${dimensions}. Name another model in settings.embedding, or the same one after naming none, to have the base indexed anew.`;
      throw new EmbeddingError('unusable', message);
    }
    await this.waiting.storeVectors(this.index, generation, passages, vectors);
  }

  /** Refused for good, unless anything else would be refused as well. */
  private async refuse(passages: readonly WaitingPassage[], { message }: EmbeddingError): Promise<void> {
    await this.embed([PROBE]);
    for (const passage of passages) await this.waiting.recordRefusal(this.index, this.to.generation, passage, message);
  }

  private embed(texts: string[]): Promise<Float32Array[]> {
    return this.embedder.embedTexts(this.to.model, texts, { ...PATIENCE, signal: this.to.signal });
  }
}

/** What is embedded of a passage: where it stands is part of what it says. */
function textOf({ title, heading, body }: WaitingPassage): string {
  return [heading.includes(title) ? '' : title, heading, body].filter(Boolean).join('\n');
}
