import { Notifications } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { ActiveRuns } from './active-runs.js';

/**
 * Hears of cancelled runs and stopped workspaces while calls are under way, so that they are broken off at once. Only a
 * hint: a worker that hears nothing learns the same from its next beat, and the fence lets no call begin meanwhile.
 */
@Injectable()
export class RunSignals {
  private readonly stopped = new AbortController();
  private listening: Promise<void> = Promise.resolve();
  private isDeaf = false;

  constructor(
    private readonly notifications: Notifications,
    private readonly activeRuns: ActiveRuns,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    const handlers = {
      run_cancelled: (runId: string) => this.activeRuns.abort(runId, 'cancelled'),
      workspace_stopped: (workspaceId: string) => this.activeRuns.abortWorkspace(workspaceId, 'stopped'),
    };
    const listening = { handlers, onHearing: () => this.hearing(), onDeaf: (cause: unknown) => this.deaf(cause) };
    this.listening = this.notifications.listen(listening, this.stopped.signal);
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.listening;
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
