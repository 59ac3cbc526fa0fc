import { Clock, DomainError } from '@app/kernel';
import { type RunIntakeConfig, runIntakeConfig } from './run-intake.config.js';
import { type Statement, Statements, StorageAlarmService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';

const MOST_WORKSPACES = 10_000;
// Age in milliseconds from which a start causes a new count of the due runs. Until the new count is known, starts use
// the old count, so they can exceed the limit.
const MAX_AGE_MILLIS = 1_000;
const RETRY_AFTER_SECONDS = 5;
const BACKLOG = 256;

/**
 * Counts the due runs of a workspace, up to the maximum $2. Examines at most 10 * $2 due runs of all workspaces. Does
 * not read runs that wait for a later time.
 */
const COUNT_DUE: Statement = {
  name: 'runs.count_due',
  text: `select count(*)::integer as depth from (
      select from (
        select workspace_id from runs where status = 'queued' and wake_at <= statement_timestamp() limit $2 * 10
      ) due where due.workspace_id = $1 limit $2
    ) counted`,
};

/**
 * Rejects new runs while too many runs of the workspace wait for a worker. A start uses the last count of the waiting
 * runs. The count is updated in the background, so a start does not wait for it.
 */
@Injectable()
export class BackpressureService {
  private readonly counts = new Map<string, { depth: number; countedAt: number }>();

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

  /** Returns a `rate_limited` error if the queue of the workspace was full at the last count, otherwise undefined. */
  refusal(workspaceId: string): DomainError | undefined {
    const limit = this.config.maxQueuedRuns;
    const known = this.counts.get(workspaceId);
    if (!known || this.clock.monotonicMillis() - known.countedAt >= MAX_AGE_MILLIS)
      this.countAgain(workspaceId, known?.depth ?? 0);
    if (!known || known.depth < limit) return undefined;
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
    return (this.counts.get(workspaceId)?.depth ?? 0) >= BACKLOG;
  }

  private countAgain(workspaceId: string, depth: number): void {
    if (this.counts.size >= MOST_WORKSPACES) this.counts.clear();
    // Stores the old count with the current time, so that concurrent starts do not count again.
    this.counts.set(workspaceId, { depth, countedAt: this.clock.monotonicMillis() });
    this.statements.query<{ depth: number }>(COUNT_DUE, [workspaceId, this.config.maxQueuedRuns]).then(
      ([row]) => this.counts.set(workspaceId, { depth: row?.depth ?? 0, countedAt: this.clock.monotonicMillis() }),
      (error: unknown) => {
        this.logger.warn({ err: error }, 'run intake: counting waiting runs failed');
      },
    );
  }
}
