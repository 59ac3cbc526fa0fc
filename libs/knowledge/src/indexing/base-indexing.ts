import { type Clock, DomainError } from '@app/kernel';
import type { WorkerConfig } from '@app/platform/periodic';
import type { Logger } from '@app/platform/observability';
import { EmbeddingError } from '../embedding/embedding-answer.js';
import type { IndexError } from '../bases/knowledge-base.entity.js';
import type { IndexBuilderService } from './index-builder.service.js';
import type { ClaimedIndex, IndexWorkStore, IndexState } from './index-work.store.js';
import type { PassageEmbedding } from './passage-embedding.js';

const RETRY_MILLIS = 5_000;

export class BaseIndexing {
  constructor(
    private readonly store: IndexWorkStore,
    private readonly builder: IndexBuilderService,
    private readonly embedding: PassageEmbedding,
    private readonly clock: Clock,
    private readonly config: Pick<WorkerConfig, 'leaseMillis' | 'heartbeatMillis'>,
    private readonly logger: Logger,
  ) {}

  /** Never rejects. */
  async indexBase(index: ClaimedIndex, stopping: AbortSignal): Promise<IndexError | null> {
    const over = new AbortController();
    const lost = new AbortController();
    const renewals = this.renewLease(index, over.signal, lost);
    const signal = AbortSignal.any([stopping, lost.signal]);
    try {
      await this.runSteps(index, signal);
      if (stopping.aborted) await this.store.releaseIndex(index, 0);
      return null;
    } catch (error) {
      if (signal.aborted) return null;
      return await this.recordFailure(index, error).catch((cause: unknown) => {
        // A retry is not needed: another worker claims the knowledge base when the lease has expired.
        this.logger.warn({ err: cause, base: index.knowledgeBaseId }, 'knowledge: releasing an index build failed');
        return null;
      });
    } finally {
      over.abort();
      await renewals;
    }
  }

  private async runSteps(index: ClaimedIndex, signal: AbortSignal): Promise<void> {
    let after: string | undefined = '';
    for (;;) {
      const state = await this.store.readState(index);
      if (!state || signal.aborted) return;
      // Documents that are added during the build need no batch: they are written to both generations.
      after = state.building === null ? undefined : await this.builder.buildBatch(index, state.building, after ?? '');
      const embedded = await this.embedPending(index, state, signal);
      if (embedded && state.error) await this.store.clearError(index);
      if (embedded || after !== undefined) continue;
      if (await this.builder.completeBuild(index)) return;
    }
  }

  private async embedPending(index: ClaimedIndex, state: IndexState, signal: AbortSignal): Promise<boolean> {
    const { generation, building, indexed, settings } = state;
    const live = indexed.embedding && (await this.embedding.embedBatch(index, generation, indexed.embedding, signal));
    const next =
      building !== null &&
      settings.embedding &&
      (await this.embedding.embedBatch(index, building, settings.embedding, signal));
    return Boolean(live) || Boolean(next);
  }

  private async renewLease(index: ClaimedIndex, over: AbortSignal, lost: AbortController): Promise<void> {
    for (;;) {
      await this.clock.sleep(this.config.heartbeatMillis, over);
      if (over.aborted) return;
      // A failed renewal is ignored, because the worker tries to renew the lease again before it expires.
      const isMine = await this.store.renewClaim(index, this.config.leaseMillis).catch(() => true);
      if (isMine) continue;
      lost.abort();
      return;
    }
  }

  private async recordFailure(index: ClaimedIndex, error: unknown): Promise<IndexError | null> {
    if (error instanceof DomainError && error.code === 'unavailable') {
      await this.store.releaseIndex(index, RETRY_MILLIS);
      return null;
    }
    const failure = failureOf(error);
    if (!(error instanceof EmbeddingError)) {
      this.logger.error({ err: error, base: index.knowledgeBaseId }, 'knowledge: indexing failed unexpectedly');
    }
    await this.store.recordFailure(index, failure, error instanceof EmbeddingError ? error.retryAfterMillis : null);
    return failure;
  }
}

function failureOf(error: unknown): IndexError {
  if (error instanceof EmbeddingError) return { code: error.code, message: error.message };
  return {
    code: 'internal_error',
    message: 'Indexing failed unexpectedly. Ask the operator to look for the cause in the log of the worker.',
  };
}
