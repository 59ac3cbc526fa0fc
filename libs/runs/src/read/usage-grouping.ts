/** What usage is summed by. */
export const USAGE_GROUPINGS = ['agent', 'day', 'model'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];
