import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { INDEX_VERSION } from '../bases/knowledge-settings.js';
import { BaseIndexingService } from './base-indexing.service.js';
import type { IndexError } from '../bases/knowledge-base.entity.js';
import { type ClaimedIndex, IndexWorkStore } from './index-work.store.js';
import { WaitingPassageRepository } from './waiting-passage.repository.js';

/** Bases that one worker has in hand: most of the work is waiting for a provider. */
const LANES = 3;
const LOOK_MILLIS = 250;
const OUTDATED_EVERY_MILLIS = 60_000;

/** Takes bases whose index there is work on. Every worker does this; what a dead one had is another's when its lease is over. */
@Injectable()
export class IndexWorker {
  private readonly lanes: PeriodicTask[];
  private readonly outdated: PeriodicTask;

  constructor(
    private readonly journal: IndexWorkStore,
    private readonly indexing: BaseIndexingService,
    private readonly waiting: WaitingPassageRepository,
    private readonly clock: Clock,
    @Inject(workerConfig.KEY) private readonly config: Pick<WorkerConfig, 'leaseMillis' | 'pollMillis'>,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.lanes = Array.from({ length: LANES }, () => {
      return new PeriodicTask(clock, {
        everyMillis: config.pollMillis,
        work: (signal) => this.round(signal),
        onError: (error) => logger.warn({ err: error }, 'indexes that are due could not be asked for'),
      });
    });
    this.outdated = new PeriodicTask(clock, {
      everyMillis: OUTDATED_EVERY_MILLIS,
      work: () => this.rebuildOutdated(),
      onError: (error) => logger.warn({ err: error }, 'looking for outdated indexes failed'),
    });
  }

  start(): void {
    this.outdated.start();
    for (const lane of this.lanes) lane.start();
  }

  /** Gives back what is in hand: another worker goes on with it. */
  async stop(): Promise<void> {
    await Promise.all([this.outdated, ...this.lanes].map((task) => task.stop()));
  }

  /**
   * Sees to it that everything which is in the base is found by its meaning as well: whoever has brought documents waits for that.
   * Gives what stands in the way; then it happens later.
   */
  async finishBase(
    place: Pick<ClaimedIndex, 'workspaceId' | 'knowledgeBaseId'>,
    signal: AbortSignal,
  ): Promise<IndexError | null> {
    await this.journal.retryNow(place);
    while (!signal.aborted) {
      const claimed = await this.journal.claim(this.config.leaseMillis, place.knowledgeBaseId);
      const failure = claimed && (await this.indexing.indexBase(claimed, signal));
      if (failure) return failure;
      const state = await this.journal.readState(place);
      if (!state?.indexed.embedding || !(await this.waiting.hasWaiting(place, state.generation))) return null;
      if (state.error) return state.error;
      await this.clock.sleep(LOOK_MILLIS, signal);
    }
    return null;
  }

  /** Indexes of an older release are rebuilt in the background, while they answer. */
  async rebuildOutdated(): Promise<'done'> {
    await this.journal.rebuildOutdated(INDEX_VERSION);
    return 'done';
  }

  private async round(signal: AbortSignal): Promise<'again' | 'done'> {
    const claimed = await this.journal.claim(this.config.leaseMillis);
    if (!claimed) return 'done';
    await this.indexing.indexBase(claimed, signal);
    return 'again';
  }
}
