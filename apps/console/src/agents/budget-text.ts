import type { Agent } from '../data/api.js';
import { formatMoney } from '../ui/format-values.js';

/** From this share of the daily budget on, the console warns. */
export const WARNING_SHARE = 0.8;

/** Returns a text such as `€1.60 of €2.00`. */
export function budgetText({ per_day: limit, spent_today: spent, currency }: NonNullable<Agent['budget']>): string {
  return `${formatMoney({ amount: spent, currency })} of ${formatMoney({ amount: limit, currency })}`;
}
