import { Clock } from '@app/kernel';
import { DueWorkService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { INDEX_VERSION } from '../bases/knowledge-settings.js';
import { EmbeddingClient } from '../embedding/embedding.client.js';
import { BaseIndexing } from './base-indexing.js';
import { IndexBuilderService } from './index-builder.service.js';
import { PassageEmbedding } from './passage-embedding.js';
import type { IndexError } from '../bases/knowledge-base.entity.js';
import { type ClaimedIndex, DUE_INDEX_WORK, IndexWorkStore } from './index-work.store.js';
import { WaitingPassageRepository } from './waiting-passage.repository.js';

/** The process mostly waits for embedding providers. */
const CONCURRENCY = 3;
const CHECK_MILLIS = 250;
const OUTDATED_EVERY_MILLIS = 60_000;

/** If a worker dies, its bases are due again when their leases expire. */
@Injectable()
export class IndexWorker {
  private readonly claiming: PeriodicTask;
  private readonly working = new Set<Promise<void>>();
  private readonly outdated: PeriodicTask;
  private readonly indexing: BaseIndexing;

  constructor(
    private readonly store: IndexWorkStore,
    builder: IndexBuilderService,
    embedder: EmbeddingClient,
    private readonly waiting: WaitingPassageRepository,
    private readonly clock: Clock,
    dueWork: DueWorkService,
    @Inject(workerConfig.KEY)
    private readonly config: Pick<WorkerConfig, 'leaseMillis' | 'heartbeatMillis'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const embedding = new PassageEmbedding(embedder, waiting);
    this.indexing = new BaseIndexing(store, builder, embedding, clock, config, logger);
    this.claiming = new PeriodicTask(clock, {
      pause: dueWork.untilDue(DUE_INDEX_WORK),
      work: (signal) => this.startNext(signal),
      onError: (error) => this.logFailure(error),
    });
    this.outdated = new PeriodicTask(clock, {
      everyMillis: OUTDATED_EVERY_MILLIS,
      work: () => this.rebuildOutdated(),
      onError: (error) => logger.warn({ err: error }, 'knowledge: finding outdated indexes failed'),
    });
  }

  start(): void {
    this.outdated.start();
    this.claiming.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.outdated.stop(), this.claiming.stop()]);
    await Promise.all(this.working);
  }

  /**
   * If no other worker has claimed the base, this worker does its index work. Returns the failure that delays the
   * vectors, or null.
   */
  async finishBase(
    place: Pick<ClaimedIndex, 'workspaceId' | 'knowledgeBaseId'>,
    signal: AbortSignal,
  ): Promise<IndexError | null> {
    await this.store.retryNow(place);
    while (!signal.aborted) {
      const claimed = await this.store.claimIndex(this.config.leaseMillis, place.knowledgeBaseId);
      const failure = claimed && (await this.indexing.indexBase(claimed, signal));
      if (failure) return failure;
      const state = await this.store.readState(place);
      if (!state?.indexed.embedding || !(await this.waiting.hasWaiting(place, state.generation))) return null;
      if (state.error) return state.error;
      await this.clock.sleep(CHECK_MILLIS, signal);
    }
    return null;
  }

  async rebuildOutdated(): Promise<'done'> {
    await this.store.rebuildOutdated(INDEX_VERSION);
    return 'done';
  }

  /** Starts work on the next base that is due, unless this worker is busy. */
  private async startNext(signal: AbortSignal): Promise<'again' | 'done'> {
    if (this.working.size >= CONCURRENCY) return 'done';
    const claimed = await this.store.claimIndex(this.config.leaseMillis);
    if (!claimed) return 'done';
    const work: Promise<void> = this.workOn(claimed, signal).finally(() => this.working.delete(work));
    this.working.add(work);
    return 'again';
  }

  /** Indexes the base, then the next ones until none is due. Never rejects. */
  private async workOn(first: ClaimedIndex, signal: AbortSignal): Promise<void> {
    try {
      let claimed: ClaimedIndex | undefined = first;
      while (claimed) {
        await this.indexing.indexBase(claimed, signal);
        claimed = signal.aborted ? undefined : await this.store.claimIndex(this.config.leaseMillis);
      }
    } catch (error) {
      this.logFailure(error);
    }
  }

  private logFailure(error: unknown): void {
    this.logger.warn({ err: error }, 'knowledge: claiming a knowledge base for indexing failed');
  }
}
