import { Clock, DomainError } from '@app/kernel';
import { type RunIntakeConfig, runIntakeConfig } from './run-intake.config.js';
import { type Statement, Statements, StorageAlarmService, withoutTenantRole } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';

// Age in milliseconds from which a start causes a new count of the due runs. Until the new count is known, starts use
// the old count, so they can exceed the limit.
const MAX_AGE_MILLIS = 1_000;
const RETRY_AFTER_SECONDS = 5;
const BACKLOG = 256;
/** Number of full queues whose runs one count examines. */
const EXAMINED_QUEUES = 10;

/** Examines at most $1 due runs of all workspaces. Does not read runs that wait for a later time. */
const COUNT_DUE: Statement = {
  name: 'runs.count_due',
  text: `select workspace_id as "workspaceId", count(*)::integer as depth from (
      select workspace_id from runs where status = 'queued' and wake_at <= statement_timestamp() limit $1
    ) due group by workspace_id`,
};

/**
 * A start uses the last count of the waiting runs. The count is updated in the background, so a start does not wait for
 * it.
 */
@Injectable()
export class BackpressureService {
  /** Workspaces without due runs are missing. */
  private counts: ReadonlyMap<string, number> = new Map();
  private countedAt = -Infinity;

  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
    @Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly storage: StorageAlarmService,
  ) {}

  /** @throws DomainError `rate_limited` (see {@link refusal}); `unavailable` while the disk of the database is full */
  admitRun(workspaceId: string): void {
    this.requireStorage();
    const refusal = this.refusal(workspaceId);
    if (refusal) throw refusal;
  }

  /** @throws DomainError `unavailable` while the embedded database uses its reserve of disk space */
  requireStorage(): void {
    this.storage.assertOff();
  }

  refusal(workspaceId: string): DomainError | undefined {
    const limit = this.config.maxQueuedRuns;
    if (this.clock.monotonicMillis() - this.countedAt >= MAX_AGE_MILLIS) this.countAgain();
    if (this.depthOf(workspaceId) < limit) return undefined;
    const detail = `The workspace has ${limit} runs that wait for a worker, which is the maximum. Try again when some of them have begun.`;
    return new DomainError('rate_limited', detail, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      extensions: { queued_runs_limit: limit },
    });
  }

  /**
   * Returns true if the workspace has so many due runs that workers find its next run even if no job is enqueued for
   * it. Further jobs would only delay the runs of other workspaces.
   */
  hasBacklog(workspaceId: string): boolean {
    return this.depthOf(workspaceId) >= BACKLOG;
  }

  private depthOf(workspaceId: string): number {
    return this.counts.get(workspaceId) ?? 0;
  }

  /** With one count for each workspace, thousands of active workspaces would need thousands of counts a second. */
  private countAgain(): void {
    // Set before the count, so that concurrent starts do not count again.
    this.countedAt = this.clock.monotonicMillis();
    const values = [EXAMINED_QUEUES * this.config.maxQueuedRuns];
    void withoutTenantRole(() =>
      this.statements.query<{ workspaceId: string; depth: number }>(COUNT_DUE, values).then(
        (rows) => {
          this.counts = new Map(rows.map(({ workspaceId, depth }) => [workspaceId, depth]));
          this.countedAt = this.clock.monotonicMillis();
        },
        (error: unknown) => {
          this.logger.warn({ err: error }, 'run intake: counting waiting runs failed');
        },
      ),
    );
  }
}
