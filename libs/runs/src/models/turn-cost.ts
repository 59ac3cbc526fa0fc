import type { ModelChoice } from '@app/definition';
import { formatMicros, type JsonObject } from '@app/kernel';
import type { ModelPrice } from '@app/platform/models';
import type { TurnCost } from '../records/run-commands.js';

/** The numbers of tokens that the provider reported. Undefined if the provider did not report them. */
export interface TurnUsage {
  input: number | undefined;
  output: number | undefined;
}

/** Larger numbers are mistakes of the provider. Their cost could exceed the range of a column. */
const MOST_TOKENS = 10 ** 12;

/** Returns a reported number of tokens, rounded up. Returns undefined if there is none, or one that cannot be true. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MOST_TOKENS ? Math.ceil(value) : undefined;
}

const MILLION = 1_000_000n;
/**
 * Number of characters per token that estimates assume. It is low, so that estimates of the cost are high. English text
 * has about four characters per token, and most other languages have fewer.
 */
const CHARACTERS_PER_TOKEN = 3;
const USUAL_OUTPUT_TOKENS = 4_096;

/**
 * Computes the cost of a turn, rounded up to millionths of the currency. The cost is `partial` if the price or a number
 * of tokens is unknown.
 */
export function turnCost(
  { provider, name: model }: ModelChoice,
  price: ModelPrice | undefined,
  { input, output }: TurnUsage,
): TurnCost {
  const used = { provider, model, input: input ?? 0, output: output ?? 0 };
  const partial = !price || input === undefined || output === undefined;
  return { ...used, micros: price ? Number(micros(price, used)) : 0, currency: price?.currency ?? null, partial };
}

/** Returns a high estimate of the cost of a turn in millionths of the currency. The budget reserves this amount. */
export function turnEstimate(price: ModelPrice | undefined, characters: number, maxOutputTokens?: number): bigint {
  if (!price) return 0n;
  return micros(price, {
    input: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    output: maxOutputTokens ?? USUAL_OUTPUT_TOKENS,
  });
}

/** Returns the fields of a trace step that contain the usage and the cost of a turn. */
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
