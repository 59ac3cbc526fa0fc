import type { Agent } from '../data/api.js';
import { formatMoney } from '../ui/format-values.js';

type Budget = NonNullable<Agent['budget']>;

/** From this share of the daily budget on, the console warns. */
export const WARNING_SHARE = 0.8;

/** Returns a text such as `€1.60 of €2.00`. */
export function budgetText({ per_day: limit, spent_today: spent, currency }: Budget): string {
  return `${formatMoney({ amount: spent, currency })} of ${formatMoney({ amount: limit, currency })}`;
}

/** Returns what running runs reserve, and whether no further model call may begin. Undefined if they reserve nothing. */
export function reservedText(budget: Budget): string | undefined {
  const spent = Number(budget.spent_today);
  const reserved = Number(budget.reserved);
  const limit = Number(budget.per_day);
  if (reserved === 0) return undefined;
  const text = `${formatMoney({ amount: budget.reserved, currency: budget.currency })} reserved by running runs`;
  const isFull = spent < limit && spent + reserved >= limit;
  return isFull ? `${text}, so further model calls are refused until these runs have ended` : text;
}

export function isNearLimit({ spent_today: spent, per_day: limit }: Budget): boolean {
  return Number(spent) >= WARNING_SHARE * Number(limit);
}

export function leftText({ spent_today: spent, per_day: limit, currency }: Budget): string {
  const left = Number(limit) - Number(spent);
  return left > 0 ? formatMoney({ amount: left.toFixed(6), currency }) : 'nothing';
}
