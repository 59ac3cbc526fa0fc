import { Clock } from '@app/kernel';
import { DueWorkService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { WorkerLeaseService } from '@app/runs';
import { Inject, Injectable } from '@nestjs/common';
import { type ClaimedPoll, DUE_POLLS, PollStore } from './poll.store.js';
import { PollsService } from './polls.service.js';

const MAX_POLLS = 10;

/** If that worker dies, another worker repeats the poll after the lease has expired. */
@Injectable()
export class PollWorker extends PeriodicTask {
  private readonly aborts = new Map<string, AbortController>();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly store: PollStore,
    private readonly polls: PollsService,
    private readonly lease: WorkerLeaseService,
    clock: Clock,
    dueWork: DueWorkService,
    @Inject(workerConfig.KEY) private readonly config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(clock, {
      pause: dueWork.untilDue(DUE_POLLS, () => this.aborts.size > 0),
      work: () => this.round(),
      onError: (error) => logger.warn({ err: error }, 'polls: renewing and claiming polls failed'),
    });
  }

  override async stop(): Promise<void> {
    await super.stop();
    for (const abort of this.aborts.values()) abort.abort();
    await Promise.all(this.running);
  }

  private async round(): Promise<void> {
    const { leaseMillis } = this.config;
    const { workerId } = this.lease;
    if (this.aborts.size > 0) {
      const mine = await this.store.renew(workerId, leaseMillis);
      for (const [key, abort] of this.aborts) if (!mine.has(key)) abort.abort();
    }
    const room = MAX_POLLS - this.running.size;
    if (room <= 0) return;
    for (const poll of await this.store.claim(workerId, leaseMillis, room)) this.begin(poll);
  }

  private begin(poll: ClaimedPoll): void {
    const { agentId, triggerId } = poll;
    const { workerId } = this.lease;
    const key = `${agentId}/${triggerId}`;
    const abort = new AbortController();
    this.aborts.set(key, abort);
    const polling = this.polls
      .poll(poll, workerId, abort.signal)
      .catch((error: unknown) => {
        this.logger.warn({ err: error, agentId, triggerId }, 'polls: a poll failed');
        return this.store.release(poll, workerId);
      })
      // If the release fails, other workers can claim the poll after its lease has expired.
      .catch((error: unknown) => this.logger.warn({ err: error, agentId, triggerId }, 'polls: releasing a poll failed'))
      .finally(() => {
        if (this.aborts.get(key) === abort) this.aborts.delete(key);
        this.running.delete(polling);
      });
    this.running.add(polling);
  }
}
