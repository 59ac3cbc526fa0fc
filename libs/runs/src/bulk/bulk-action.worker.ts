import { Clock, DomainError } from '@app/kernel';
import { DueWorkService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, type WorkerConfig, workerConfig, type WorkerTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { RunReplaysService } from '../replay/run-replays.service.js';
import { BackpressureService } from '../start/backpressure.service.js';
import { RunIntakeService, startRefusal } from '../start/run-intake.service.js';
import { BulkActionStore, type ClaimedBulkAction, DUE_BULK_ACTIONS } from './bulk-action.store.js';

const CANCELLED_AT_ONCE = 50;
const REPLAYED_AT_ONCE = 20;
/** Pause in milliseconds after a batch of cancellations that cancelled no run, because all pending runs were locked. */
const LOCKED_PAUSE_MILLIS = 500;
const SECOND_MILLIS = 1_000;
/** After this age, the error becomes the result of the run, so that the bulk action completes. */
const MAX_PATIENCE_MILLIS = 24 * 3_600_000;
const HOUR_MILLIS = 3_600_000;
/**
 * Number of days for which a completed bulk action is stored. This is longer than the lifetime of an idempotency key,
 * so a repeated request still finds the bulk action that it started.
 */
const KEPT_DAYS = 31;
const PURGED_AT_ONCE = 1_000;

/**
 * A batch may be interrupted at any point. The action on a run and its result are committed together. While the
 * workspace is stopped, bulk cancellations continue. Replays are rejected, like every start of a run, and the error
 * becomes the result of the run. If the queue is full or the database is unavailable, no result is recorded and the
 * bulk action pauses.
 */
@Injectable()
export class BulkActionWorker implements WorkerTask {
  private readonly tasks: readonly PeriodicTask[];

  constructor(
    private readonly store: BulkActionStore,
    private readonly replays: RunReplaysService,
    private readonly intake: RunIntakeService,
    private readonly backpressure: BackpressureService,
    private readonly clock: Clock,
    dueWork: DueWorkService,
    @Inject(workerConfig.KEY) { leaseMillis }: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.tasks = [
      new PeriodicTask(clock, {
        pause: dueWork.untilDue(DUE_BULK_ACTIONS),
        work: async (signal) => ((await this.takeTurn(leaseMillis, signal)) ? 'again' : 'done'),
        onError: (error) => logger.warn({ err: error }, 'bulk actions: processing a bulk action failed'),
      }),
      new PeriodicTask(clock, {
        everyMillis: HOUR_MILLIS,
        waitsFirst: true,
        work: () => this.purge(),
        onError: (error) => logger.warn({ err: error }, 'retention: deleting bulk actions failed'),
      }),
    ];
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  async purge(): Promise<'again' | 'done'> {
    return (await this.store.purge(KEPT_DAYS, PURGED_AT_ONCE)) > 0 ? 'again' : 'done';
  }

  /** After a failure or a crash, the bulk action is due again when its lease ends. */
  async takeTurn(leaseMillis: number, signal: AbortSignal): Promise<boolean> {
    const claimed = await this.store.claim(leaseMillis);
    if (!claimed) return false;
    const pauseMillis =
      claimed.action === 'cancel' ? await this.cancelRuns(claimed) : await this.replayRuns(claimed, signal);
    await this.store.release(claimed.id, pauseMillis);
    return true;
  }

  private async cancelRuns({ id }: ClaimedBulkAction): Promise<number> {
    return (await this.store.cancelRuns(id, CANCELLED_AT_ONCE)) > 0 ? 0 : LOCKED_PAUSE_MILLIS;
  }

  /** Stops at the first temporary error. */
  private async replayRuns(claimed: ClaimedBulkAction, signal: AbortSignal): Promise<number> {
    for (const runId of await this.store.pendingRuns(claimed, REPLAYED_AT_ONCE)) {
      if (signal.aborted) return 0;
      const refusal = await this.replayRun(claimed, runId);
      if (refusal) return (refusal.retryAfterSeconds ?? 1) * SECOND_MILLIS;
    }
    return 0;
  }

  /** If the error is temporary, returns it and records nothing, so that the run stays pending. */
  private async replayRun(claimed: ClaimedBulkAction, runId: string): Promise<DomainError | undefined> {
    const full = this.backpressure.refusal(claimed.workspaceId);
    const refusal = full ?? (await this.attempt(claimed, runId));
    if (!refusal) return undefined;
    if ((full || refusal.code === 'unavailable') && this.isYoung(claimed)) return refusal;
    await this.store.failRun(claimed.id, runId, refusal.code);
    return undefined;
  }

  private async attempt(
    { id, workspaceId, actor, mode }: ClaimedBulkAction,
    runId: string,
  ): Promise<DomainError | undefined> {
    try {
      const replay = await this.replays.prepareReplay({
        workspaceId,
        runId,
        // With the key kind `live`, any mode is allowed. When the service accepted the bulk action, it checked whether
        // the caller's key allows this mode.
        initiator: { email: actor, keyKind: 'live' },
        mode: mode ?? 'test',
        toolResults: 'recorded',
      });
      const verdict = await this.store.createReplay(id, replay);
      if (verdict === 'settled') return undefined;
      if (verdict !== 'created') return startRefusal(verdict, replay);
      this.intake.announceRun(workspaceId, replay.id);
      return undefined;
    } catch (error) {
      if (error instanceof DomainError) return error;
      this.logger.error({ err: error, bulk_action: id, run: runId }, 'bulk actions: replaying a run failed');
      return new DomainError(
        'internal_error',
        'The run could not be replayed because of an internal error of the service.',
        { cause: error },
      );
    }
  }

  private isYoung({ createdAt }: ClaimedBulkAction): boolean {
    return this.clock.now().getTime() - createdAt.getTime() < MAX_PATIENCE_MILLIS;
  }
}
