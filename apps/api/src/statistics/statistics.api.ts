import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '@app/kernel';
import {
  type ErrorGroup,
  RUN_MODES,
  RUN_STATUSES,
  type RunMode,
  type RunStatisticsSum,
  type RunStatus,
  STATISTICS_BUCKETS,
  STATISTICS_GROUPINGS,
  type StatisticsBucket,
  type StatisticsGrouping,
} from '@app/runs';
import { AgentId, Id, Nested, OneOf, Text, TimeParameter, Timestamp, Whole } from '../http/fields.js';

export class RunStatisticsQuery {
  @OneOf(STATISTICS_BUCKETS, {
    optional: true,
    default: '1d',
    description: 'Length of a bucket: `1h` is a UTC hour, `1d` a UTC day.',
  })
  bucket: StatisticsBucket = '1d';
  @OneOf(STATISTICS_GROUPINGS, {
    optional: true,
    default: 'status',
    description: 'Property by which the runs of a bucket are grouped.',
  })
  group_by: StatisticsGrouping = 'status';
  @OneOf(RUN_MODES, { optional: true, description: 'Mode of the runs.' }) mode?: RunMode;
  @TimeParameter({
    optional: true,
    description:
      'Start of the period: the first bucket is the one that contains this time. Default: 30 days before `until`.',
  })
  since?: Date;
  @TimeParameter({
    optional: true,
    description: 'End of the period: the last bucket begins before this time. Default: now.',
  })
  until?: Date;
}

@ApiSchema({ description: 'Active time of runs, with an error of at most 1 %.' })
export class RunDurations {
  @Whole({ description: 'Median, in milliseconds.', example: 840 }) p50: number;
  @Whole({ description: '95th percentile, in milliseconds.', example: 5200 }) p95: number;
}

@ApiSchema({ description: 'Cost of the model calls of ended runs.' })
export class RunStatisticsCost {
  @Text({ description: 'Amount as a decimal number.', example: '1.25' }) amount: string;
  @Text({ description: 'Currency code (ISO 4217).', example: 'EUR' }) currency: string;
}

@ApiSchema({ description: 'Runs of one group that ended in one bucket. Each currency has a separate entry.' })
export class RunStatisticsEntry {
  @Timestamp({ description: 'Beginning of the bucket.', example: '2026-01-31T00:00:00.000Z' }) start: string;
  @OneOf(RUN_STATUSES, { optional: true, description: 'Status, if grouped by status.', example: 'succeeded' })
  status?: RunStatus;
  @Id('agent', { optional: true, description: 'Id of the agent, if grouped by agent.' }) agent?: string;
  @Text({ optional: true, description: 'Current name of the agent, if grouped by agent.', example: 'refund-desk' })
  agent_name?: string;
  @Whole({ description: 'Number of runs.', example: 42 }) runs: number;
  @Whole({ description: 'Number of them that failed.', example: 2 }) failed: number;
  @Nested(RunDurations, { description: 'Durations of the runs.' }) duration_ms: RunDurations;
  @Nested(RunStatisticsCost, { description: 'Cost of the runs.' }) cost: RunStatisticsCost;
}

@ApiSchema({ description: 'Ended runs by time and group.' })
export class RunStatistics {
  @Nested(RunStatisticsEntry, {
    list: true,
    description: 'Entries in the order of the buckets and groups. Groups without runs are left out.',
  })
  data: RunStatisticsEntry[];
}

export function presentStatistics(groupBy: StatisticsGrouping, sums: readonly RunStatisticsSum[]): RunStatistics {
  return { data: sums.map((sum) => presentEntry(groupBy, sum)) };
}

function presentEntry(groupBy: StatisticsGrouping, sum: RunStatisticsSum): RunStatisticsEntry {
  const { group, agentName } = sum;
  const key = groupBy === 'status' ? { status: group as RunStatus } : { agent: group, agent_name: agentName ?? group };
  return {
    start: sum.start.toISOString(),
    ...key,
    runs: sum.runs,
    failed: sum.failed,
    duration_ms: { p50: sum.p50Millis, p95: sum.p95Millis },
    cost: { amount: formatMicros(sum.costMicros), currency: sum.currency },
  };
}

export class ErrorGroupsQuery {
  @AgentId({ optional: true, description: 'Id of the agent.' }) agent?: string;
  @OneOf(RUN_MODES, { optional: true, description: 'Mode of the runs.' }) mode?: RunMode;
  @TimeParameter({ optional: true, description: 'Start of the period of creation. Default: 7 days before `until`.' })
  since?: Date;
  @TimeParameter({ optional: true, description: 'End of the period of creation, exclusive. Default: now.' })
  until?: Date;
}

@ApiSchema({ name: 'ErrorGroup', description: 'Failed runs of one agent with equal errors.' })
export class ErrorGroupEntry {
  @Text({ description: 'Id of the group.', example: '0f3a5b7c9d1e2f40' })
  error_group: string;
  @Id('agent') agent: string;
  @Text({ description: 'Current name of the agent.', example: 'refund-desk' }) agent_name: string;
  @Text({ description: 'Error code.', example: 'tool_error' }) code: string;
  @Text({ nullable: true, description: 'Id of the step; null if the error belongs to no step.', example: 'refund' })
  step: string | null;
  @Text({ description: 'Newest message.', example: 'The shop returned 503.' }) message: string;
  @Whole({ description: 'Number of runs.', example: 38 }) runs: number;
  @Timestamp({ description: 'First creation.' }) first_at: string;
  @Timestamp({ description: 'Last creation.' }) last_at: string;
  @Whole({ description: 'First version.', example: 3 }) first_version: number;
  @Whole({ description: 'Last version.', example: 4 }) last_version: number;
  @Id('run', { description: 'Last run.' }) last_run: string;
}

@ApiSchema({ description: 'Groups of equal errors.' })
export class ErrorGroupPage {
  @Nested(ErrorGroupEntry, { list: true, description: 'The groups, the largest first.' }) data: ErrorGroupEntry[];
}

export function presentErrorGroups(groups: readonly ErrorGroup[]): ErrorGroupPage {
  return {
    data: groups.map((group) => ({
      error_group: group.group,
      agent: group.agentId,
      agent_name: group.agentName,
      code: group.code,
      step: group.step,
      message: group.message,
      runs: group.runs,
      first_at: group.firstAt.toISOString(),
      last_at: group.lastAt.toISOString(),
      first_version: group.firstVersion,
      last_version: group.lastVersion,
      last_run: group.lastRun,
    })),
  };
}
