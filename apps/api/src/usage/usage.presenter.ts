import { formatMicros } from '@app/kernel';
import type { Usage, UsageQuestion, UsageSums } from '@app/runs';
import type { UsageQuery, UsageReport, UsageResource } from './usage.dto.js';

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
