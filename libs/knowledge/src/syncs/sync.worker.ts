import { randomUUID } from 'node:crypto';
import { Clock } from '@app/kernel';
import { DueWorkService, StorageAlarmService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { HAS_DUE_SOURCE } from '../sources/store/knowledge-source.repository.js';
import type { ClaimedSync } from './claimed-sync.js';
import { HAS_DUE_SYNC, type RenewedSync, SyncStore } from './sync.store.js';
import { type SyncInterruption, SyncRunnerService } from './sync-runner.service.js';
import { SourceSyncsService } from './source-syncs.service.js';

/** The syncs mostly wait for their sources. */
const CONCURRENCY = 3;

interface RunningSync {
  sync: ClaimedSync;
  abort: AbortController;
  done: Promise<void>;
}

/** If a worker dies, its syncs are due again when their leases expire. */
@Injectable()
export class SyncWorker {
  private readonly worker = randomUUID();
  private readonly running = new Map<string, RunningSync>();
  private readonly polling: PeriodicTask;
  private readonly heartbeat: PeriodicTask;
  private claiming: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: SyncStore,
    private readonly runner: SyncRunnerService,
    private readonly syncs: SourceSyncsService,
    clock: Clock,
    dueWork: DueWorkService,
    @Inject(workerConfig.KEY) private readonly config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly storage: StorageAlarmService,
  ) {
    this.polling = new PeriodicTask(clock, {
      pause: dueWork.untilDue({ name: 'syncs', isDue: `${HAS_DUE_SYNC} or ${HAS_DUE_SOURCE}` }),
      work: () => this.poll(),
      onError: (error) => logger.warn({ err: error }, 'knowledge: requesting scheduled syncs failed'),
    });
    this.heartbeat = new PeriodicTask(clock, {
      everyMillis: config.heartbeatMillis,
      work: () => this.renewLeases(),
      onError: (error) => logger.warn({ err: error }, 'knowledge: renewing the leases of syncs failed'),
    });
  }

  start(): void {
    this.polling.start();
    this.heartbeat.start();
  }

  async stop(): Promise<void> {
    await this.polling.stop();
    await this.claiming;
    for (const { abort } of this.running.values()) abort.abort('released' satisfies SyncInterruption);
    await Promise.all([...this.running.values()].map(({ done }) => done));
    await this.heartbeat.stop();
  }

  claimDue(): Promise<void> {
    this.claiming = this.claiming.then(() => this.claim()).catch((error: unknown) =>
      this.logger.warn({ err: error }, 'knowledge: claiming due syncs failed'),
    ); // prettier-ignore
    return this.claiming;
  }

  private async poll(): Promise<void> {
    await this.claimDue();
    await this.syncs.requestDue();
  }

  private async claim(): Promise<void> {
    const room = CONCURRENCY - this.running.size;
    if (room <= 0 || this.polling.stopping.aborted || this.storage.problem !== undefined) return;
    for (const sync of await this.store.claimSyncs(this.worker, this.config.leaseMillis, room)) this.begin(sync);
  }

  private begin(sync: ClaimedSync): void {
    const abort = new AbortController();
    const done = this.runner.runSync(sync, abort.signal).finally(() => {
      if (this.running.get(sync.id)?.abort === abort) this.running.delete(sync.id);
      void this.claimDue();
    });
    this.running.set(sync.id, { sync, abort, done });
    if (this.polling.stopping.aborted) abort.abort('released' satisfies SyncInterruption);
  }

  private async renewLeases(): Promise<void> {
    if (this.running.size === 0) return;
    const renewed = await this.store.renewLeases(this.worker, this.config.leaseMillis);
    const mine = new Map(renewed.map((sync) => [`${sync.id} ${sync.attempt}`, sync]));
    for (const { sync, abort } of [...this.running.values()]) {
      const reason = interruptionOf(mine.get(`${sync.id} ${sync.attempt}`));
      if (reason) abort.abort(reason);
    }
  }
}

function interruptionOf(sync: RenewedSync | undefined): SyncInterruption | undefined {
  if (!sync) return 'lost';
  if (sync.isCancelled) return 'cancelled';
  return sync.isStopped ? 'released' : undefined;
}
