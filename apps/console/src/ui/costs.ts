import type { Money } from './format-values.js';

/** Sums the costs by currency. */
export function sumOfCosts(costs: readonly Money[]): Money[] {
  const sums = new Map<string, { amount: number; partial: boolean }>();
  for (const { amount, currency, partial = false } of costs) {
    const before = sums.get(currency) ?? { amount: 0, partial: false };
    sums.set(currency, { amount: before.amount + Number(amount), partial: before.partial || partial });
  }
  return [...sums].map(([currency, { amount, partial }]) => ({
    amount: String(amount),
    currency,
    ...(partial && { partial }),
  }));
}
