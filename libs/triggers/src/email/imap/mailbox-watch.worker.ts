import { Clock } from '@app/kernel';
import { DueWorkService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { WorkerLeaseService } from '@app/runs';
import { MailboxWatcherService } from './mailbox-watcher.service.js';
import { type ClaimedWatch, DUE_MAILBOX_WATCHES, MailboxWatchRepository } from './mailbox-watch.repository.js';

const MAX_WATCHES = 100;

/** Each folder is watched by the one worker that renews its lease. */
@Injectable()
export class MailboxWatchWorker extends PeriodicTask {
  private readonly aborts = new Map<string, AbortController>();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly watches: MailboxWatchRepository,
    private readonly watcher: MailboxWatcherService,
    private readonly lease: WorkerLeaseService,
    clock: Clock,
    dueWork: DueWorkService,
    @Inject(workerConfig.KEY) private readonly config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(clock, {
      pause: dueWork.untilDue(DUE_MAILBOX_WATCHES, () => this.aborts.size > 0),
      work: () => this.sweepWatches(),
      onError: (error) => logger.warn({ err: error }, 'mailbox watches: renewing and claiming watches failed'),
    });
  }

  override async stop(): Promise<void> {
    await super.stop();
    for (const watch of this.aborts.values()) watch.abort();
    await Promise.all(this.running);
  }

  private async sweepWatches(): Promise<void> {
    const { leaseMillis } = this.config;
    if (this.aborts.size > 0) {
      const mine = await this.watches.renew(this.lease.workerId, leaseMillis);
      for (const [key, watch] of this.aborts) if (!mine.has(key)) watch.abort();
    }
    const room = MAX_WATCHES - this.aborts.size;
    if (room === 0) return;
    for (const watch of await this.watches.claim(this.lease.workerId, leaseMillis, room)) this.begin(watch);
  }

  private begin(watch: ClaimedWatch): void {
    const key = `${watch.agentId}/${watch.triggerId}`;
    const { workerId } = this.lease;
    const abort = new AbortController();
    this.aborts.set(key, abort);
    const watching = this.watcher
      .watch(watch, workerId, abort.signal)
      .then(
        () => this.watches.release(watch, workerId),
        (error: unknown) => {
          this.logger.warn(
            { err: error, agent: watch.agentId, trigger: watch.triggerId },
            'mailbox watches: watching a mailbox failed',
          );
          return this.watches.failed(watch, workerId, reasonOf(error));
        },
      )
      // If the release fails, other workers can claim the watch after its lease has expired.
      .catch((error: unknown) => this.logger.warn({ err: error }, 'mailbox watches: releasing a watch failed'))
      .finally(() => {
        if (this.aborts.get(key) === abort) this.aborts.delete(key);
        this.running.delete(watching);
      });
    this.running.add(watching);
  }
}

function reasonOf(error: unknown): string {
  const { message, responseText, authenticationFailed } = error as Error & {
    responseText?: string;
    authenticationFailed?: boolean;
  };
  if (authenticationFailed) return `The IMAP server rejected the login: ${responseText ?? message}`.slice(0, 500);
  return `The mailbox cannot be watched: ${responseText ?? message}`.slice(0, 500);
}
