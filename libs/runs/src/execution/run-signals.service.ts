import { Clock } from '@app/kernel';
import { Notifications } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { sharedAbortController } from '@app/platform/periodic';
import { SECRET_CHANGED, SecretsService } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { WorkerStore } from '../store/worker.store.js';
import { ActiveRunsService } from './active-runs.service.js';

// Tolerance in milliseconds for differences between the clock of Postgres and the timers of this process.
const CLOCK_SLACK_MILLIS = 5;

/**
 * A worker that misses a notification gets the same information with its next heartbeat, or when it next reads the
 * secret. Until then, the stop lock prevents new calls of a stopped workspace.
 */
@Injectable()
export class RunSignalsService {
  private readonly stopped = sharedAbortController();
  private listening: Promise<void> = Promise.resolve();
  private isDisconnected = false;

  constructor(
    private readonly notifications: Notifications,
    private readonly activeRuns: ActiveRunsService,
    private readonly workers: WorkerStore,
    private readonly secrets: SecretsService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    const handlers = {
      run_cancelled: (runId: string) => this.activeRuns.abort(runId, 'cancelled'),
      [SECRET_CHANGED]: (key: string) => this.secrets.invalidateCached(key),
      workspace_stopped: (payload: string) => void this.breakOffAfterDrain(payload),
    };
    const listening = {
      handlers,
      onConnected: () => this.connected(),
      onDisconnected: (cause: unknown) => this.disconnected(cause),
    };
    this.listening = this.notifications.listen(listening, this.stopped.signal);
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.listening;
  }

  /**
   * Handles the notification that a workspace was stopped. In the meantime, the workspace may have been resumed, or
   * stopped again with a different time.
   */
  private async breakOffAfterDrain(payload: string): Promise<void> {
    const [workspaceId = '', millis] = payload.split(' ');
    try {
      await this.clock.sleep(Number(millis) + CLOCK_SLACK_MILLIS, this.stopped.signal);
      const runIds = this.activeRuns.idsOfWorkspace(workspaceId);
      if (runIds.length === 0 || this.stopped.signal.aborted) return;
      for (const runId of await this.workers.stopped(runIds)) this.activeRuns.abort(runId, 'stopped');
    } catch (error) {
      this.logger.warn(
        { err: error, workspaceId },
        'run signals: aborting stopped calls failed, the next heartbeat aborts them',
      );
    }
  }

  private connected(): void {
    if (this.isDisconnected) this.logger.info('run signals: connection restored');
    this.isDisconnected = false;
  }

  private disconnected(cause: unknown): void {
    if (this.isDisconnected) return;
    this.isDisconnected = true;
    this.logger.warn({ err: cause }, 'run signals: connection lost, heartbeats abort stopped and cancelled calls');
  }
}
