import type { ModelPrice } from '@app/platform/models';
import type { ModelChoice } from '@app/definition';

/**
 * Returns why the cost of the model cannot be counted in `currency`, the currency of a budget, and how to fix the
 * problem. Returns undefined if the cost can be counted.
 */
export function uncountableCost(
  { provider, name }: Pick<ModelChoice, 'provider' | 'name'>,
  price: ModelPrice | undefined,
  currency: string,
): { detail: string; remedy: string } | undefined {
  const model = `${provider}/${name}`;
  if (!price) {
    return {
      detail: `The budget cannot be enforced, because this installation has no price for the model \`${model}\`.`,
      remedy: `Set a price in ${currency} for the model in MODEL_PROVIDERS (0 if it is free), or remove the budget.`,
    };
  }
  if (price.currency === currency) return undefined;
  return {
    detail: `The budget cannot be enforced: it is in ${currency}, but the price of the model \`${model}\` is in ${price.currency}.`,
    remedy: `Write the budget in ${price.currency}, or set a price in ${currency} for the model in MODEL_PROVIDERS.`,
  };
}
