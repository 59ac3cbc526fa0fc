import type { Agent } from '../data/api.js';
import { formatMoney } from '../ui/format-values.js';

/** From this share of the daily budget on, the console warns. */
export const WARNING_SHARE = 0.8;

/** Returns a text such as `€1.60 of €2.00`. */
export function budgetText({ per_day: limit, spent_today: spent, currency }: NonNullable<Agent['budget']>): string {
  return `${formatMoney({ amount: spent, currency })} of ${formatMoney({ amount: limit, currency })}`;
}

/** Returns what running runs reserve, and whether no further model call may begin. Undefined if they reserve nothing. */
export function reservedText(budget: NonNullable<Agent['budget']>): string | undefined {
  const spent = Number(budget.spent_today);
  const reserved = Number(budget.reserved);
  const limit = Number(budget.per_day);
  if (reserved === 0) return undefined;
  const text = `${formatMoney({ amount: budget.reserved, currency: budget.currency })} reserved by running runs`;
  const isFull = spent < limit && spent + reserved >= limit;
  return isFull ? `${text}, so further model calls are refused until these runs have ended` : text;
}
