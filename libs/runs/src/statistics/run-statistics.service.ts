import { Clock, DomainError, parameterPlace } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { RunMode } from '../records/run-status.js';

export const STATISTICS_BUCKETS = ['1h', '1d'] as const;
export type StatisticsBucket = (typeof STATISTICS_BUCKETS)[number];

export const STATISTICS_GROUPINGS = ['status', 'agent'] as const;
export type StatisticsGrouping = (typeof STATISTICS_GROUPINGS)[number];

const DAY_MILLIS = 86_400_000;
const DEFAULT_DAYS = 30;
/** The limit is necessary because the response has no pages. */
const MAX_DAYS: Readonly<Record<StatisticsBucket, number>> = { '1h': 31, '1d': 366 };

export interface StatisticsQuestion {
  bucket: StatisticsBucket;
  groupBy: StatisticsGrouping;
  since?: Date | undefined;
  until?: Date | undefined;
  mode?: RunMode | undefined;
  agents?: readonly string[] | null;
}

/** A run belongs to the time bucket in which the run ended. */
export interface RunStatisticsSum {
  start: Date;
  group: string;
  agentName: string | null;
  runs: number;
  failed: number;
  p50Millis: number;
  p95Millis: number;
  costMicros: bigint;
  currency: string;
}

/** Integers are strings, because they may exceed 2^53. */
interface SumRow {
  start_at: Date;
  group_key: string;
  agent_name: string | null;
  runs: string;
  failed: string;
  p50: string;
  p95: string;
  cost_micros: string;
  currency: string;
}

const ROLL_UP: Statement = {
  name: 'run_statistics.roll_up',
  text: 'select run_machine.roll_up_ended_runs($1) as counted',
};

const PURGE: Statement = {
  name: 'run_statistics.purge',
  text: 'select run_machine.purge_statistics($1, $2, $3) as counted',
};

/** Exported because a test checks its query plan. */
export const SUMS: Statement = {
  name: 'run_statistics.sums',
  text: `select s.start_at, s.group_key, a.name as agent_name, s.runs, s.cost_micros, s.currency,
      case when $7 = 'agent' then s.failed when s.group_key = 'failed' then s.runs else 0 end as failed,
      run_machine.duration_percentile(s.durations, 0.5) as p50, run_machine.duration_percentile(s.durations, 0.95) as p95
    from run_statistics s
    left join agents a on $7 = 'agent' and a.workspace_id = s.workspace_id and a.id = s.group_key
    where s.workspace_id = $1 and s.bucket = $2 and s.group_by = $3 and ($6::text[] is null or s.group_key = any ($6))
      and s.start_at >= date_trunc(case $2 when '1h' then 'hour' else 'day' end, $4::timestamptz, 'UTC') and s.start_at < $5
    order by s.start_at, s.group_key, s.currency`,
};

/**
 * The stored sums by status are those of all agents, so this statement reads the runs themselves. It does not count
 * runs that retention has deleted.
 */
const SUMS_OF_AGENTS: Statement = {
  name: 'run_statistics.sums_of_agents',
  text: `with slots as (
      select date_trunc(u.unit, r.ended_at, 'UTC') as start_at, r.status, r.currency,
        run_machine.duration_slot(r.active_ms) as slot, count(*) as runs, sum(r.cost_micros) as cost_micros
      from (select case $2 when '1h' then 'hour' else 'day' end as unit) u
      cross join listed_runs l join runs r on r.workspace_id = l.workspace_id and r.id = l.id
      where l.workspace_id = $1 and l.agent_id = any ($5) and ($6::text is null or r.mode = $6)
        and r.ended_at >= date_trunc(u.unit, $3::timestamptz, 'UTC') and date_trunc(u.unit, r.ended_at, 'UTC') < $4
      group by 1, 2, 3, 4),
    sums as (
      select start_at, status as group_key, null::text as agent_name, sum(runs) as runs,
        case status when 'failed' then sum(runs) else 0 end as failed, sum(cost_micros) as cost_micros,
        currency, json_object_agg(slot, runs)::jsonb as durations
      from slots group by start_at, status, currency)
    select s.start_at, s.group_key, s.agent_name, s.runs, s.failed, s.cost_micros, s.currency,
      run_machine.duration_percentile(s.durations, 0.5) as p50, run_machine.duration_percentile(s.durations, 0.95) as p95
    from sums s order by s.start_at, s.group_key, s.currency`,
};

/** A run is included a few seconds after it has ended. */
@Injectable()
export class RunStatisticsService {
  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `invalid_request` if the period is too long, or ends before it begins */
  sumRuns(workspaceId: string, { since, until, ...shape }: StatisticsQuestion): Promise<RunStatisticsSum[]> {
    const end = until ?? this.clock.now();
    const begin = since ?? new Date(end.getTime() - DEFAULT_DAYS * DAY_MILLIS);
    const millis = end.getTime() - begin.getTime();
    if (millis < 0) throw refusal('`since` must not be after `until`.');
    const most = MAX_DAYS[shape.bucket];
    if (millis > most * DAY_MILLIS) {
      throw refusal(`With \`bucket=${shape.bucket}\` the period is at most ${most} days. Ask for a shorter one.`);
    }
    return this.readSums(workspaceId, shape, { since: begin, until: end });
  }

  /** Returns 0 if another worker is doing this at the same time. */
  rollUp(limit: number): Promise<number> {
    return this.counted(ROLL_UP, [limit]);
  }

  purge(bucket: StatisticsBucket, days: number, limit: number): Promise<number> {
    return this.counted(PURGE, [bucket, days, limit]);
  }

  /** The first bucket is the one that contains `since`, and the last bucket begins before `until`. */
  private async readSums(
    workspaceId: string,
    { bucket, groupBy, mode, agents = null }: Omit<StatisticsQuestion, 'since' | 'until'>,
    { since, until }: { since: Date; until: Date },
  ): Promise<RunStatisticsSum[]> {
    const stored = mode ? `${groupBy}/${mode}` : groupBy;
    const rows =
      agents && groupBy === 'status'
        ? await this.statements.query<SumRow>(SUMS_OF_AGENTS, [workspaceId, bucket, since, until, agents, mode ?? null])
        : await this.statements.query<SumRow>(SUMS, [workspaceId, bucket, stored, since, until, agents, groupBy]);
    return rows.map((row) => ({
      start: row.start_at,
      group: row.group_key,
      agentName: row.agent_name,
      runs: Number(row.runs),
      failed: Number(row.failed),
      p50Millis: Number(row.p50),
      p95Millis: Number(row.p95),
      costMicros: BigInt(row.cost_micros),
      currency: row.currency,
    }));
  }

  private async counted(statement: Statement, values: unknown[]): Promise<number> {
    const [row] = await this.statements.query<{ counted: number }>(statement, values);
    return row!.counted;
  }
}

function refusal(detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [parameterPlace('since', detail)] });
}
