import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '@app/kernel';
import { type Usage, USAGE_GROUPINGS, type UsageGrouping, type UsageQuestion, type UsageSums } from '@app/runs';
import { AgentId, Id, Nested, OneOf, Text, TimeParameter, Timestamp, Whole } from '../http/fields.js';
import { RunCost } from '../runs/runs.api.js';

export class UsageQuery {
  @OneOf(USAGE_GROUPINGS, { optional: true, default: 'day', description: 'Grouping of the sums. Days are UTC days.' })
  group_by: UsageGrouping = 'day';
  @TimeParameter({ optional: true, description: 'Start of the period, inclusive. Default: 30 days before `until`.' })
  since?: Date;
  @TimeParameter({ optional: true, description: 'End of the period, exclusive. Default: now.' }) until?: Date;
  @AgentId({ optional: true, description: 'Id of the agent whose runs are counted. Default: all agents.' })
  agent?: string;
}

@ApiSchema({ description: 'Tokens of model calls.' })
export class UsageTokens {
  @Whole({ description: 'Tokens sent to models.', example: 18200 }) input: number;
  @Whole({ description: 'Tokens received from models.', example: 2400 }) output: number;
  @Whole({ description: 'Input read from a cache.', example: 12000 }) cache_read: number;
  @Whole({ description: 'Input written to a cache.', example: 900 }) cache_write: number;
  @Whole({ description: 'Output that is reasoning.', example: 1100 }) reasoning: number;
}

@ApiSchema({ name: 'Usage', description: 'The sums of one group.' })
export class UsageResource {
  @Id('agent', { optional: true, description: 'Id of the agent, if grouped by agent.' }) agent?: string;
  @Text({ optional: true, description: 'Current name of the agent, if grouped by agent.', example: 'refund-desk' })
  agent_name?: string;
  @Text({ optional: true, description: 'UTC day, if grouped by day.', example: '2026-01-31' }) day?: string;
  @Text({
    optional: true,
    description: 'Provider and name of the model, if grouped by model.',
    example: 'openai/gpt-6.1-terra',
  })
  model?: string;
  @Whole({ description: 'Number of runs; if grouped by model, of runs that called it.', example: 42 }) runs: number;
  @Nested(UsageTokens, { description: 'Tokens of model calls.' }) tokens: UsageTokens;
  @Nested(RunCost, { description: 'Cost of the runs.' }) cost: RunCost;
}

@ApiSchema({ description: 'Runs, tokens and cost of a period, by group.' })
export class UsageReport {
  @OneOf(USAGE_GROUPINGS, { description: 'Grouping of the sums.', example: 'day' }) group_by: UsageGrouping;
  @Timestamp({ description: 'Start of the period, inclusive.' }) since: string;
  @Timestamp({ description: 'End of the period, exclusive.' }) until: string;
  @Nested(UsageResource, {
    list: true,
    description: 'Sums in the order of the groups. Groups without runs are left out.',
  })
  data: UsageResource[];
}

export function usageQuestion({ group_by: groupBy, since, until, agent }: UsageQuery): UsageQuestion {
  return { groupBy, ...(since && { since }), ...(until && { until }), ...(agent !== undefined && { agentId: agent }) };
}

export function presentUsage({ groupBy, since, until, sums }: UsageSums): UsageReport {
  return {
    group_by: groupBy,
    since: since.toISOString(),
    until: until.toISOString(),
    data: sums.map((usage) => Object.assign({ [groupBy]: usage.group }, presentSums(usage))),
  };
}

function presentSums({ agentName, runs, tokens, costMicros, currency, partial }: Usage): UsageResource {
  return {
    ...(agentName !== null && { agent_name: agentName }),
    runs,
    tokens: {
      input: tokens.input,
      output: tokens.output,
      cache_read: tokens.cacheRead,
      cache_write: tokens.cacheWrite,
      reasoning: tokens.reasoning,
    },
    cost: { amount: formatMicros(costMicros), currency, ...(partial && { partial }) },
  };
}
