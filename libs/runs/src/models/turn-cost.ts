import type { ModelChoice } from '@app/definition';
import { formatMicros, type JsonObject } from '@app/kernel';
import type { ModelPrice } from '@app/platform/models';
import type { TurnCost } from '../records/run-commands.js';

/** Token counts that the provider reported. Undefined if it did not report them. */
export interface TurnUsage {
  input: number | undefined;
  output: number | undefined;
}

const MILLION = 1_000_000n;
/**
 * A low value, so that estimates are high. English text has about four characters per token, most other languages
 * fewer.
 */
const CHARACTERS_PER_TOKEN = 3;
const USUAL_OUTPUT_TOKENS = 4_096;

/** Computes the cost, rounded up to a micro-unit. The cost is `partial` if the price or a token count is unknown. */
export function turnCost(
  { provider, name: model }: ModelChoice,
  price: ModelPrice | undefined,
  { input, output }: TurnUsage,
): TurnCost {
  const used = { provider, model, input: input ?? 0, output: output ?? 0 };
  const partial = !price || input === undefined || output === undefined;
  return { ...used, micros: price ? Number(micros(price, used)) : 0, currency: price?.currency ?? null, partial };
}

/** Returns an upper estimate of the cost of a turn in micro-units, for the reservation in the budget. */
export function turnEstimate(price: ModelPrice | undefined, characters: number, maxOutputTokens?: number): bigint {
  if (!price) return 0n;
  return micros(price, {
    input: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    output: maxOutputTokens ?? USUAL_OUTPUT_TOKENS,
  });
}

/** Returns the usage and cost fields of the trace. */
export function costDetail({ input, output, micros: amount, currency, partial }: TurnCost): JsonObject {
  const cost = currency === null ? null : { amount: formatMicros(BigInt(amount)), currency };
  return {
    usage: { input_tokens: input, output_tokens: output },
    cost,
    ...(partial && { cost_partial: true }),
  };
}

function micros(price: ModelPrice, { input, output }: { input: number; output: number }): bigint {
  const exact = BigInt(input) * price.inputMicros + BigInt(output) * price.outputMicros;
  return (exact + MILLION - 1n) / MILLION;
}
