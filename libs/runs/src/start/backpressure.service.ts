import { Clock, DomainError } from '@app/kernel';
import { type RunIntakeConfig, runIntakeConfig } from './run-intake.config.js';
import { type Statement, Statements, StorageAlarmService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';

const REMEMBERED_WORKSPACES = 10_000;
// How stale a count may be: a burst may go beyond the limit by what is accepted in that time.
const MAX_AGE_MILLIS = 1_000;
const RETRY_AFTER_SECONDS = 5;
/** So many waiting runs keep every worker looking for the next one. */
const BACKLOG = 256;

/**
 * Due runs of a workspace that wait for a worker, counted up to a bound. It reads the index of due runs, so runs that wait
 * for a time, however many, cost it nothing.
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
 * Turns new runs away while a workspace has more of them waiting than it may. What was accepted is carried out.
 * No start waits for the count: it goes by the last one, and where that is old has a new one made meanwhile.
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

  /** @throws DomainError `rate_limited`, see {@link refusal}; `unavailable` while the disk of the database is full */
  admitRun(workspaceId: string): void {
    this.requireStorage();
    const refusal = this.refusal(workspaceId);
    if (refusal) throw refusal;
  }

  /** @throws DomainError `unavailable` while the embedded database runs on its reserve of disk space */
  requireStorage(): void {
    this.storage.assertOff();
  }

  /** Why a new run is turned away: `rate_limited` while the workspace's queue is full. Undefined: it is welcome. */
  refusal(workspaceId: string): DomainError | undefined {
    const limit = this.config.maxQueuedRuns;
    const known = this.counts.get(workspaceId);
    if (!known || this.clock.monotonicMillis() - known.countedAt >= MAX_AGE_MILLIS)
      this.countAgain(workspaceId, known?.depth ?? 0);
    if (!known || known.depth < limit) return undefined;
    const detail = `The workspace has ${limit} runs waiting for a worker. Try again when some have begun.`;
    return new DomainError('rate_limited', detail, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      extensions: { queued_runs_limit: limit },
    });
  }

  /**
   * Whether so many runs of the workspace wait that ringing for one more is of no use, and of harm to others: their rings would
   * wait behind thousands of its own. Workers take what waits without being rung for, in fair shares.
   */
  hasBacklog(workspaceId: string): boolean {
    return (this.counts.get(workspaceId)?.depth ?? 0) >= BACKLOG;
  }

  private countAgain(workspaceId: string, depth: number): void {
    if (this.counts.size >= REMEMBERED_WORKSPACES) this.counts.clear();
    // Whoever asks meanwhile finds the old count made young, and does not count as well.
    this.counts.set(workspaceId, { depth, countedAt: this.clock.monotonicMillis() });
    this.statements.query<{ depth: number }>(COUNT_DUE, [workspaceId, this.config.maxQueuedRuns]).then(
      ([row]) => this.counts.set(workspaceId, { depth: row?.depth ?? 0, countedAt: this.clock.monotonicMillis() }),
      (error: unknown) => {
        this.logger.warn({ err: error }, 'the waiting runs could not be counted');
      },
    );
  }
}
