import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { WorkerLeaseService } from '@app/runs';
import { MailboxWatcherService } from './mailbox-watcher.service.js';
import { type ClaimedWatch, MailboxWatchRepository } from './mailbox-watch.repository.js';

/** Folders that one worker watches at the same time: a connection each. */
const MAX_WATCHES = 100;

/** The folders that this worker watches. Each belongs to one worker of the fleet, for as long as that renews its lease. */
@Injectable()
export class MailboxWatchWorker {
  private readonly held = new Map<string, AbortController>();
  private readonly ending = new Set<Promise<void>>();
  private readonly task: PeriodicTask;

  constructor(
    private readonly watches: MailboxWatchRepository,
    private readonly watcher: MailboxWatcherService,
    private readonly lease: WorkerLeaseService,
    clock: Clock,
    @Inject(workerConfig.KEY) private readonly config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.task = new PeriodicTask(clock, {
      everyMillis: config.sweepMillis,
      work: () => this.look(),
      onError: (error) => logger.warn({ err: error }, 'watched mailboxes were not looked at'),
    });
  }

  start(): void {
    this.task.start();
  }

  /** Closes the connections and gives the folders back. */
  async stop(): Promise<void> {
    await this.task.stop();
    for (const watch of this.held.values()) watch.abort();
    await Promise.all(this.ending);
  }

  /** Lets go of what is not this worker's any more, and takes what nobody watches. */
  private async look(): Promise<void> {
    const { leaseMillis } = this.config;
    if (this.held.size > 0) {
      const mine = await this.watches.renew(this.lease.workerId, leaseMillis);
      for (const [key, watch] of this.held) if (!mine.has(key)) watch.abort();
    }
    const room = MAX_WATCHES - this.held.size;
    if (room === 0) return;
    for (const watch of await this.watches.claim(this.lease.workerId, leaseMillis, room)) this.begin(watch);
  }

  private begin(watch: ClaimedWatch): void {
    const key = `${watch.agentId}/${watch.triggerId}`;
    const { workerId } = this.lease;
    const abort = new AbortController();
    this.held.set(key, abort);
    const watching = this.watcher
      .watch(watch, workerId, abort.signal)
      .then(
        () => this.watches.release(watch, workerId),
        (error: unknown) => {
          this.logger.warn(
            { err: error, agent: watch.agentId, trigger: watch.triggerId },
            'a mailbox cannot be watched',
          );
          return this.watches.failed(watch, workerId, reasonOf(error));
        },
      )
      // The lease runs out by itself.
      .catch((error: unknown) => this.logger.warn({ err: error }, 'a watched mailbox was not given back'))
      .finally(() => {
        if (this.held.get(key) === abort) this.held.delete(key);
        this.ending.delete(watching);
      });
    this.ending.add(watching);
  }
}

/** For people, as the trigger's `last_error`. The server's own words are in `responseText` of imapflow's errors. */
function reasonOf(error: unknown): string {
  const { message, responseText, authenticationFailed } = error as Error & {
    responseText?: string;
    authenticationFailed?: boolean;
  };
  if (authenticationFailed) return `The IMAP server refuses the login: ${responseText ?? message}`.slice(0, 500);
  return `The mailbox cannot be watched: ${responseText ?? message}`.slice(0, 500);
}
