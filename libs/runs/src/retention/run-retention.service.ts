import { Clock, lowestId } from '@app/kernel';
import { type RetentionConfig, retentionConfig } from './retention.config.js';
import { LOGGER, type Logger, Metrics } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { type IdempotencyConfig, idempotencyConfig } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { RetentionRepository, type PurgedBatch } from './retention.repository.js';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
/** Maximum number of runs or rows that one commit purges. It is small, so that no row is locked for long. */
const BATCH = 200;
/**
 * Number of hourly rounds after which purging starts at the first id again. The repetition is necessary because some
 * rows may not be purged the first time, for example if another transaction has locked them.
 */
const ROUNDS_OF_A_WALK = 24;

/** Each worker does this, and the batches of several workers may overlap. */
@Injectable()
export class RunRetentionService {
  private readonly tasks: readonly PeriodicTask[];
  private readonly deleted: ReturnType<typeof deletedCounter>;

  constructor(
    private readonly repository: RetentionRepository,
    private readonly clock: Clock,
    @Inject(retentionConfig.KEY) private readonly config: Omit<RetentionConfig, 'triggerLogRetentionDays'>,
    @Inject(idempotencyConfig.KEY) { idempotencyMillis }: IdempotencyConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.deleted = deletedCounter(metrics);
    const { traceRetentionDays: traceDays, runRetentionDays: runDays, auditRetentionDays: auditDays } = config;
    this.tasks = [
      this.task('idempotency_keys', async () =>
        this.counted('idempotency_keys', await repository.purgeIdempotencyKeys(BATCH, idempotencyMillis)),
      ),
      this.task('mcp_access', async () => this.counted('mcp_access', await repository.purgeMcpAccess(BATCH))),
      this.task('state', async () => this.counted('state', await repository.purgeState(BATCH))),
      this.walk('drafts', (after) => repository.purgeDrafts(after, BATCH), 1),
      ...(traceDays > 0 ? [this.walk('traces', (after) => this.purgeTraces(after))] : []),
      ...(runDays > 0
        ? [this.walk('runs', (after) => this.purgeRuns(after)), this.walk('events', (after) => this.purgeEvents(after))]
        : []),
      ...(auditDays > 0 ? [this.task('audit_events', () => this.purgeAuditEvents())] : []),
    ];
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  purgeTraces(after: string): Promise<PurgedBatch> {
    const { traceRetentionDays: days } = this.config;
    return this.repository.purgeTraces({ after, before: lowestId('run', this.daysAgo(days)) }, days, BATCH);
  }

  purgeRuns(after: string): Promise<PurgedBatch> {
    const { runRetentionDays: days } = this.config;
    return this.repository.purgeRuns({ after, before: lowestId('run', this.daysAgo(days)) }, days, BATCH);
  }

  /** Keeps an event while its run or a message that delivers it exists. */
  purgeEvents(after: string): Promise<PurgedBatch> {
    const before = lowestId('event', this.daysAgo(this.config.runRetentionDays));
    return this.repository.purgeEvents({ after, before }, BATCH);
  }

  private async purgeAuditEvents(): Promise<'again' | 'done'> {
    const before = lowestId('event', this.daysAgo(this.config.auditRetentionDays));
    return this.counted('audit_events', await this.repository.purgeAuditEvents(before, BATCH));
  }

  /** After `roundsOfWalk` hours, the task starts at the first id again. */
  private walk(
    kind: string,
    batch: (after: string) => Promise<PurgedBatch>,
    roundsOfWalk = ROUNDS_OF_A_WALK,
  ): PeriodicTask {
    let after = '';
    let rounds = 0;
    return this.task(kind, async () => {
      const { last, purged } = await batch(after);
      this.deleted.inc({ kind }, purged);
      after = last ?? after;
      if (last !== null) return 'again';
      rounds = (rounds + 1) % roundsOfWalk;
      if (rounds === 0) after = '';
      return 'done';
    });
  }

  private task(kind: string, work: () => Promise<'again' | 'done'>): PeriodicTask {
    const onError = (error: unknown): void =>
      this.logger.warn({ err: error, kind }, 'retention: deleting expired data failed');
    return new PeriodicTask(this.clock, { everyMillis: HOUR_MILLIS, waitsFirst: true, work, onError });
  }

  private counted(kind: string, purged: number): 'again' | 'done' {
    this.deleted.inc({ kind }, purged);
    return purged >= BATCH ? 'again' : 'done';
  }

  private daysAgo(days: number): number {
    return this.clock.now().getTime() - days * DAY_MILLIS;
  }
}

function deletedCounter(metrics: Metrics) {
  return metrics.counter({
    name: 'aas_retention_deleted_total',
    help: 'Rows that this process has purged by retention: traces, runs, drafts (agents), events, audit_events, idempotency_keys, mcp_access (of MCP clients), state (expired entries).',
    labels: ['kind'],
  });
}
