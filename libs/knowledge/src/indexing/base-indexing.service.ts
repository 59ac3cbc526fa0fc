import { Clock, DomainError } from '@app/kernel';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { EmbeddingError } from '../embedding/embedding-error.js';
import type { IndexError } from '../bases/knowledge-base.entity.js';
import { IndexBuilderService } from './index-builder.service.js';
import { type ClaimedIndex, IndexWorkStore, type IndexState } from './index-work.store.js';
import { PassageEmbeddingService } from './passage-embedding.service.js';

const RETRY_MILLIS = 5_000;

/** Carries out what is to be done on the index of a base that this worker has claimed: vectors, and a new generation where one is wanted. */
@Injectable()
export class BaseIndexingService {
  constructor(
    private readonly journal: IndexWorkStore,
    private readonly builder: IndexBuilderService,
    private readonly embedding: PassageEmbeddingService,
    private readonly clock: Clock,
    @Inject(workerConfig.KEY) private readonly config: Pick<WorkerConfig, 'leaseMillis' | 'heartbeatMillis'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Works until nothing is left to do, something fails, or the signal aborts. Says what failed; never rejects. */
  async indexBase(index: ClaimedIndex, stopping: AbortSignal): Promise<IndexError | null> {
    const over = new AbortController();
    const lost = new AbortController();
    const beats = this.beat(index, over.signal, lost);
    const signal = AbortSignal.any([stopping, lost.signal]);
    try {
      await this.steps(index, signal);
      if (stopping.aborted) await this.journal.release(index, 0);
      return null;
    } catch (error) {
      if (signal.aborted) return null;
      return await this.settle(index, error).catch((cause: unknown) => {
        // The lease runs out, and somebody else takes it.
        this.logger.warn({ err: cause, base: index.knowledgeBaseId }, 'work on an index could not be given back');
        return null;
      });
    } finally {
      over.abort();
      await beats;
    }
  }

  private async steps(index: ClaimedIndex, signal: AbortSignal): Promise<void> {
    let after: string | undefined = '';
    for (;;) {
      const state = await this.journal.readState(index);
      if (!state || signal.aborted) return;
      // From the beginning again behind the last: what came meanwhile is there already, and this finds none.
      after = state.building === null ? undefined : await this.builder.buildBatch(index, state.building, after ?? '');
      const embedded = await this.embedSome(index, state, signal);
      if (embedded && state.error) await this.journal.clearError(index);
      if (embedded || after !== undefined) continue;
      if (await this.builder.completeBuild(index)) return;
    }
  }

  /** The passages that are searched first, then those that are to be. */
  private async embedSome(index: ClaimedIndex, state: IndexState, signal: AbortSignal): Promise<boolean> {
    const { generation, building, indexed, settings } = state;
    const live = indexed.embedding && (await this.embedding.embedBatch(index, generation, indexed.embedding, signal));
    const next =
      building !== null &&
      settings.embedding &&
      (await this.embedding.embedBatch(index, building, settings.embedding, signal));
    return Boolean(live) || Boolean(next);
  }

  private async beat(index: ClaimedIndex, over: AbortSignal, lost: AbortController): Promise<void> {
    for (;;) {
      await this.clock.sleep(this.config.heartbeatMillis, over);
      if (over.aborted) return;
      // One that could not be sent is made up for by the next, before the lease is over.
      const isMine = await this.journal.renew(index, this.config.leaseMillis).catch(() => true);
      if (isMine) continue;
      lost.abort();
      return;
    }
  }

  private async settle(index: ClaimedIndex, error: unknown): Promise<IndexError | null> {
    if (error instanceof DomainError && error.code === 'unavailable') {
      await this.journal.release(index, RETRY_MILLIS);
      return null;
    }
    const failure = failureOf(error);
    if (!(error instanceof EmbeddingError)) {
      this.logger.error({ err: error, base: index.knowledgeBaseId }, 'an index failed in an unforeseen way');
    }
    await this.journal.recordFailure(index, failure, error instanceof EmbeddingError ? error.retryAfterMillis : null);
    return failure;
  }
}

function failureOf(error: unknown): IndexError {
  if (error instanceof EmbeddingError) return { code: error.code, message: error.message };
  return {
    code: 'internal_error',
    message: 'Indexing failed in a way that was not foreseen; the log of the worker says more.',
  };
}
