import { Clock } from '@app/kernel';
import { Statements } from '@app/platform/database';
import { LOGGER, type Logger, Metrics } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { checkInvariants } from './check-invariants.js';
import { INVARIANTS } from './invariants.js';

/** Minimum time in milliseconds between two checks. Scrapes of the metrics may be more frequent. */
const MAX_AGE_MILLIS = 60_000;
const YOUNGEST_RUNS = 2_000;

/**
 * Exports the invariants as metrics and checks them when the metrics are scraped. Only the API runs it: the result
 * depends only on the database, so every process would return the same result.
 */
@Injectable()
export class InvariantMetricsService {
  private checkedAt = -Infinity;
  private checking: Promise<void> | undefined;
  private readonly gauge: ReturnType<typeof violationGauge>;
  private readonly lastCheck: ReturnType<typeof checkGauge>;

  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
    metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.gauge = violationGauge(metrics, () => this.refresh());
    this.lastCheck = checkGauge(metrics);
  }

  private refresh(): Promise<void> {
    const age = this.clock.monotonicMillis() - this.checkedAt;
    if (age < MAX_AGE_MILLIS) return Promise.resolve();
    this.checking ??= this.check().finally(() => (this.checking = undefined));
    return this.checking;
  }

  /**
   * Checks all invariants. Never rejects. If the database is unavailable, other metrics are still exported, and the
   * metric with the time of the last check does not change.
   */
  private async check(): Promise<void> {
    this.checkedAt = this.clock.monotonicMillis();
    try {
      const violations = await checkInvariants(this.statements, { youngestRuns: YOUNGEST_RUNS });
      for (const { name } of INVARIANTS) this.gauge.set({ invariant: name }, 0);
      for (const { invariant, count } of violations) this.gauge.set({ invariant }, count);
      for (const violation of violations) this.logger.error(violation, 'invariants: violated');
      this.lastCheck.set(this.clock.now().getTime() / 1000);
    } catch (error) {
      this.logger.warn({ err: error }, 'invariants: check failed');
    }
  }
}

function violationGauge(metrics: Metrics, read: () => Promise<void>) {
  return metrics.gauge(
    {
      name: 'aas_invariant_violations',
      help: `Runs that break an invariant, among the newest ${YOUNGEST_RUNS} runs. A value that stays above 0 indicates a defect of the service.`,
      labels: ['invariant'],
    },
    read,
  );
}

function checkGauge(metrics: Metrics) {
  return metrics.gauge({
    name: 'aas_invariants_checked_timestamp_seconds',
    help: 'Time of the last check of the invariants, in seconds since 1970.',
  });
}
