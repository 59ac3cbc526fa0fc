import { randomInt } from 'node:crypto';
import { Clock } from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import { Inject, Injectable } from '@nestjs/common';
import { RunExecutor } from '../run-executor.service.js';

/** Finds due runs without the queue: whatever the queue lost, forgot or never heard of is carried out all the same. */
@Injectable()
export class RunPoller {
  private readonly stopped = new AbortController();
  private polling: Promise<void> = Promise.resolve();

  constructor(
    private readonly executor: RunExecutor,
    private readonly clock: Clock,
    @Inject(ENV) private readonly env: Env,
  ) {}

  start(): void {
    this.polling = this.poll();
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.polling;
  }

  private async poll(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      await this.executor.takeDueRuns();
      // A fifth of jitter either way, so that the workers of a fleet do not all ask at once.
      await this.clock.sleep((this.env.pollMillis * randomInt(80, 121)) / 100, this.stopped.signal);
    }
  }
}
