import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '@app/kernel';
import { type Usage, USAGE_GROUPINGS, type UsageGrouping, type UsageQuestion, type UsageSums } from '@app/runs';
import { AgentId, Nested, OneOf, Text, TimeParameter, Timestamp, Whole } from '../http/fields.js';
import { RunCost } from '../runs/runs.api.js';

export class UsageQuery {
  @OneOf(USAGE_GROUPINGS, { optional: true, default: 'day', description: 'Days are those of UTC.' })
  group_by: UsageGrouping = 'day';
  @TimeParameter({ optional: true, description: 'Default: 30 days before `until`.' }) since?: Date;
  @TimeParameter({ optional: true, description: 'Not included. Default: now.' }) until?: Date;
  @AgentId({ optional: true, description: 'Only runs of this agent.' }) agent?: string;
}

export class UsageTokens {
  @Whole() input: number;
  @Whole() output: number;
}

@ApiSchema({ name: 'Usage' })
export class UsageResource {
  @Text({ optional: true, description: 'Where usage is grouped by agent: its id.' }) agent?: string;
  @Text({ optional: true, description: 'Where usage is grouped by day.', example: '2026-01-31' }) day?: string;
  @Text({ optional: true, description: 'Where usage is grouped by model.', example: 'openai/gpt-5-mini' })
  model?: string;
  @Whole({ description: 'Runs that were started, or that asked the model.' }) runs: number;
  @Nested(UsageTokens) tokens: UsageTokens;
  @Nested(RunCost) cost: RunCost;
}

export class UsageReport {
  @OneOf(USAGE_GROUPINGS) group_by: UsageGrouping;
  @Timestamp() since: string;
  @Timestamp() until: string;
  @Nested(UsageResource, { list: true, description: 'In the order of the groups; groups without runs are left out.' })
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

function presentSums({ runs, inputTokens, outputTokens, costMicros, currency, partial }: Usage): UsageResource {
  return {
    runs,
    tokens: { input: inputTokens, output: outputTokens },
    cost: { amount: formatMicros(costMicros), currency, ...(partial && { partial }) },
  };
}
