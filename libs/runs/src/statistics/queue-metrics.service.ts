import { Clock } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { LOGGER, type Logger, Metrics } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';

/** The tables are read at most this often, even if the metrics are requested more often. */
const MAX_AGE_MILLIS = 5_000;
const MOST = 10_000;
const OPEN = ['queued', 'running', 'waiting_approval'] as const;
const ENDED = ['succeeded', 'handed_off', 'failed', 'cancelled'] as const;

interface QueueRow extends Record<(typeof OPEN)[number] | (typeof ENDED)[number], number> {
  due: number;
  oldest_seconds: string;
  workspaces: number;
  workers: number;
}

/** The number of ended runs comes from sequences (see sql/_schema.sql). */
const READ: Statement = {
  name: 'runs.queue_metrics',
  text: `with due as materialized (
      select workspace_id, greatest(wake_at, created_at) as since from runs
       where status = 'queued' and wake_at <= statement_timestamp() order by wake_at limit $1
    ), open as materialized (
      select (select count(*)::integer from (select from runs where status = 'queued' limit $1) q) as queued,
        (select count(*)::integer from (select from runs where status = 'running' limit $1) r) as running,
        (select count(*)::integer from (select from runs where status = 'waiting_approval' limit $1) a) as waiting_approval
    )
    select (select count(*)::integer from due) as due, (select count(distinct workspace_id)::integer from due) as workspaces,
      coalesce((select extract(epoch from statement_timestamp() - min(since)) from due), 0) as oldest_seconds,
      coalesce(pg_sequence_last_value('run_machine.ended_succeeded'), 0)::float8 as succeeded,
      coalesce(pg_sequence_last_value('run_machine.ended_handed_off'), 0)::float8 as handed_off,
      coalesce(pg_sequence_last_value('run_machine.ended_failed'), 0)::float8 as failed,
      coalesce(pg_sequence_last_value('run_machine.ended_cancelled'), 0)::float8 as cancelled,
      open.*, (select count(*)::integer from workers where lease_until > statement_timestamp()) as workers
    from open`,
};

/**
 * They describe the database, so all processes export the same values. A query over several processes must use the
 * maximum of the values and not the sum.
 */
@Injectable()
export class QueueMetricsService {
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;
  private readonly gauges: ReturnType<typeof queueGauges>;

  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
    metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.gauges = queueGauges(metrics, () => this.refresh());
  }

  private refresh(): Promise<void> {
    const isYoung = this.clock.monotonicMillis() - this.readAt < MAX_AGE_MILLIS;
    if (isYoung && !this.reading) return Promise.resolve();
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  /** Never rejects. If the read fails, the gauges keep their last values and the time of the last successful read. */
  private async read(): Promise<void> {
    this.readAt = this.clock.monotonicMillis();
    try {
      const [row] = await this.statements.query<QueueRow>(READ, [MOST]);
      const { due, oldest, workspaces, open, ended, workers, at } = this.gauges;
      due.set(row!.due);
      oldest.set(Math.max(0, Number(row!.oldest_seconds)));
      workspaces.set(row!.workspaces);
      workers.set(row!.workers);
      for (const status of OPEN) open.set({ status }, row![status]);
      ended.reset();
      for (const status of ENDED) ended.inc({ status }, row![status]);
      at.set(this.clock.now().getTime() / 1000);
    } catch (error) {
      this.logger.warn({ err: error }, 'metrics: measuring the queue failed');
    }
  }
}

function queueGauges(metrics: Metrics, read: () => Promise<void>) {
  return {
    due: metrics.gauge({ name: 'aas_queue_due_runs', help: `Runs that wait for a worker, up to ${MOST}.` }, read),
    oldest: metrics.gauge(
      {
        name: 'aas_queue_oldest_due_seconds',
        help: 'Waiting time of the run that has waited longest for a worker. 0 if no run waits.',
      },
      read,
    ),
    workspaces: metrics.gauge(
      { name: 'aas_queue_waiting_workspaces', help: 'Workspaces with a run that waits for a worker.' },
      read,
    ),
    open: metrics.gauge(
      {
        name: 'aas_runs_open',
        help: `Runs that have not ended, by status. Counts at most ${MOST} runs of each status.`,
        labels: ['status'],
      },
      read,
    ),
    ended: metrics.counter(
      {
        name: 'aas_runs_ended_total',
        help: 'Runs that have ended, by status.',
        labels: ['status'],
      },
      read,
    ),
    workers: metrics.gauge({ name: 'aas_workers', help: 'Worker processes whose lease is valid.' }, read),
    at: metrics.gauge({
      name: 'aas_queue_measured_timestamp_seconds',
      help: 'Time of the last measurement of the queue, in seconds since 1970.',
    }),
  };
}
