import type { Clock } from '@app/kernel';
import type { Logger } from '@app/platform/observability';

/** An error that comes this long after the one before begins a new outage. */
const QUIET_MILLIS = 60_000;

/** Says once that something is away, however many calls fail while it is; the others are there at level debug. */
export class OutageLog {
  private lastFailure = -Infinity;

  constructor(
    private readonly logger: Pick<Logger, 'warn' | 'debug'>,
    private readonly message: string,
    private readonly clock: Pick<Clock, 'monotonicMillis'>,
  ) {}

  failed(error: unknown): void {
    const now = this.clock.monotonicMillis();
    const level = now - this.lastFailure > QUIET_MILLIS ? 'warn' : 'debug';
    this.lastFailure = now;
    this.logger[level]({ err: error }, this.message);
  }
}
