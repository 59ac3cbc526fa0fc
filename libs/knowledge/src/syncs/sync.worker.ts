import { randomUUID } from 'node:crypto';
import { Clock } from '@app/kernel';
import { StorageAlarm } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import type { ClaimedSync } from './claimed-sync.js';
import { type RenewedSync, SyncStore } from './sync.store.js';
import { type SyncInterruption, SyncRunnerService } from './sync-runner.service.js';
import { SyncSchedules } from './sync-schedules.service.js';

/** Syncs that one worker has in hand: most of a sync is waiting for its source. */
const LANES = 3;

interface HeldSync {
  sync: ClaimedSync;
  abort: AbortController;
  done: Promise<void>;
}

/**
 * Takes syncs that are due, and keeps those in hand. Every worker does this: the database hands each to one of them, by its own
 * clock, and what a dead one had is another's when its lease is over.
 */
@Injectable()
export class SyncWorker {
  private readonly worker = randomUUID();
  private readonly held = new Map<string, HeldSync>();
  private readonly rounds: PeriodicTask;
  private readonly beats: PeriodicTask;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly journal: SyncStore,
    private readonly runner: SyncRunnerService,
    private readonly schedules: SyncSchedules,
    clock: Clock,
    @Inject(workerConfig.KEY) private readonly config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly storage: StorageAlarm,
  ) {
    this.rounds = new PeriodicTask(clock, {
      everyMillis: config.pollMillis,
      work: () => this.round(),
      onError: (error) => logger.warn({ err: error }, 'scheduled syncs could not be begun'),
    });
    this.beats = new PeriodicTask(clock, {
      everyMillis: config.heartbeatMillis,
      work: () => this.beat(),
      onError: (error) => logger.warn({ err: error }, 'the leases of syncs could not be renewed'),
    });
  }

  start(): void {
    this.rounds.start();
    this.beats.start();
  }

  /** Gives back what is in hand: another worker goes on with it. */
  async stop(): Promise<void> {
    await this.rounds.stop();
    await this.looking;
    for (const { abort } of this.held.values()) abort.abort('released' satisfies SyncInterruption);
    await Promise.all([...this.held.values()].map(({ done }) => done));
    await this.beats.stop();
  }

  /** Takes what is due, as far as there is room for it. Never rejects. */
  claimDue(): Promise<void> {
    this.looking = this.looking.then(() => this.claim()).catch((error: unknown) =>
      this.logger.warn({ err: error }, 'due syncs could not be asked for'),
    ); // prettier-ignore
    return this.looking;
  }

  private async round(): Promise<void> {
    await this.claimDue();
    await this.schedules.fireDue();
  }

  private async claim(): Promise<void> {
    const room = LANES - this.held.size;
    if (room <= 0 || this.rounds.stopping.aborted || this.storage.problem !== undefined) return;
    for (const sync of await this.journal.claimSyncs(this.worker, this.config.leaseMillis, room)) this.begin(sync);
  }

  private begin(sync: ClaimedSync): void {
    const abort = new AbortController();
    const done = this.runner.runSync(sync, abort.signal).finally(() => {
      if (this.held.get(sync.id)?.abort === abort) this.held.delete(sync.id);
      void this.claimDue();
    });
    this.held.set(sync.id, { sync, abort, done });
    if (this.rounds.stopping.aborted) abort.abort('released' satisfies SyncInterruption);
  }

  private async beat(): Promise<void> {
    if (this.held.size === 0) return;
    const heard = await this.journal.renewLeases(this.worker, this.config.leaseMillis);
    const mine = new Map(heard.map((sync) => [`${sync.id} ${sync.attempt}`, sync]));
    for (const { sync, abort } of [...this.held.values()]) {
      const reason = interruptionOf(mine.get(`${sync.id} ${sync.attempt}`));
      if (reason) abort.abort(reason);
    }
  }
}

/** A sync that was not answered has gone to another worker. */
function interruptionOf(heard: RenewedSync | undefined): SyncInterruption | undefined {
  if (!heard) return 'lost';
  if (heard.isCancelled) return 'cancelled';
  return heard.isStopped ? 'released' : undefined;
}
