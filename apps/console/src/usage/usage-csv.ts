import { csvText } from '../ui/csv.js';
import type { UsageReport } from './usage-query.js';

/** Returns the report as CSV (RFC 4180), with one line for each group and currency. */
export function usageCsv({ group_by: grouping, data }: UsageReport): string {
  const heads = grouping === 'agent' ? ['agent', 'agent_name'] : [grouping];
  const lines = data.map((usage) => [
    ...heads.map((head) => usage[head as 'agent' | 'agent_name' | 'day' | 'model'] ?? ''),
    String(usage.runs),
    String(usage.tokens.input),
    String(usage.tokens.output),
    String(usage.tokens.cache_read),
    usage.cost.amount,
    usage.cost.currency,
    usage.cost.partial === true ? 'true' : 'false',
  ]);
  const head = [
    ...heads,
    'runs',
    'input_tokens',
    'output_tokens',
    'cached_tokens',
    'cost',
    'currency',
    'cost_is_partial',
  ];
  return csvText([head, ...lines]);
}
