import { Clock } from '@app/kernel';
import { Notifications } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { sharedAbortController } from '@app/platform/periodic';
import { SECRET_CHANGED, Secrets } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { WorkerStore } from '../store/worker.store.js';
import { ActiveRunsService } from './active-runs.service.js';

// The database's clock and the timers of this process do not agree to the millisecond.
const CLOCK_SLACK_MILLIS = 5;

/**
 * Hears of cancelled runs and stopped workspaces while calls are under way, so that they are broken off at once, and of
 * changed secrets. Only a hint: a worker that hears nothing learns the same from its next beat or when it reads a secret
 * again, and the fence lets no call begin meanwhile.
 */
@Injectable()
export class RunSignalsService {
  private readonly stopped = sharedAbortController();
  private listening: Promise<void> = Promise.resolve();
  private isDeaf = false;

  constructor(
    private readonly notifications: Notifications,
    private readonly activeRuns: ActiveRunsService,
    private readonly workers: WorkerStore,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    const handlers = {
      run_cancelled: (runId: string) => this.activeRuns.abort(runId, 'cancelled'),
      [SECRET_CHANGED]: (key: string) => this.secrets.forget(key),
      workspace_stopped: (payload: string) => void this.breakOffAfterDrain(payload),
    };
    const listening = { handlers, onHearing: () => this.hearing(), onDeaf: (cause: unknown) => this.deaf(cause) };
    this.listening = this.notifications.listen(listening, this.stopped.signal);
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.listening;
  }

  /**
   * `<workspace> <milliseconds>`: calls under way have so long to end. Then the database is asked what is still to be broken
   * off, for the workspace may have been resumed, or stopped again with another time.
   */
  private async breakOffAfterDrain(payload: string): Promise<void> {
    const [workspaceId = '', millis] = payload.split(' ');
    try {
      await this.clock.sleep(Number(millis) + CLOCK_SLACK_MILLIS, this.stopped.signal);
      const runIds = this.activeRuns.idsOfWorkspace(workspaceId);
      if (runIds.length === 0 || this.stopped.signal.aborted) return;
      for (const runId of await this.workers.stopped(runIds)) this.activeRuns.abort(runId, 'stopped');
    } catch (error) {
      this.logger.warn({ err: error, workspaceId }, 'calls of a stopped workspace are broken off at the next beat');
    }
  }

  private hearing(): void {
    if (this.isDeaf) this.logger.info('signals from the database arrive again');
    this.isDeaf = false;
  }

  /** Once for each time that it goes deaf, however often connecting fails. */
  private deaf(cause: unknown): void {
    if (this.isDeaf) return;
    this.isDeaf = true;
    this.logger.warn(
      { err: cause },
      'signals from the database do not arrive: stops and cancels break calls off at the next beat',
    );
  }
}
