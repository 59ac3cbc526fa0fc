import type { ModelChoice } from '@app/definition';
import { formatMicros, type JsonObject } from '@app/kernel';
import type { ModelPrice } from '@app/platform/models';
import type { TurnCost } from '../records/run-commands.js';

export interface TurnUsage {
  input: number | undefined;
  output: number | undefined;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
}

export const UNKNOWN_USAGE: TurnUsage = {
  input: undefined,
  output: undefined,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
};

/** Larger numbers are mistakes of the provider. Their cost could exceed the range of a column. */
const MAX_TOKENS = 10 ** 12;

/** Returns undefined if there is none, or one that cannot be true. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_TOKENS ? Math.ceil(value) : undefined;
}

const MILLION = 1_000_000n;
/**
 * It is low, so that estimates of the cost are high. English text has about four characters per token, and most other
 * languages have fewer.
 */
const CHARACTERS_PER_TOKEN = 3;
const USUAL_OUTPUT_TOKENS = 4_096;

/** The cost is `partial` if the price or a number of tokens is unknown. */
export function turnCost(
  { provider, name: model }: ModelChoice,
  price: ModelPrice | undefined,
  usage: TurnUsage,
): TurnCost {
  const { input, output } = usage;
  const used = { provider, model, ...usage, input: input ?? 0, output: output ?? 0 };
  const partial = !price || input === undefined || output === undefined;
  return { ...used, micros: price ? Number(micros(price, used)) : 0, currency: price?.currency ?? null, partial };
}

/**
 * The budget reserves this amount.
 * @param isCached true if the provider may write the prompt to its cache
 */
export function turnEstimate(
  price: ModelPrice | undefined,
  { characters, maxOutputTokens, isCached }: { characters: number; maxOutputTokens?: number; isCached: boolean },
): bigint {
  if (!price) return 0n;
  const input = Math.ceil(characters / CHARACTERS_PER_TOKEN);
  const isWritten = isCached && price.cacheWriteMicros > price.inputMicros;
  return micros(price, {
    input,
    output: maxOutputTokens ?? USUAL_OUTPUT_TOKENS,
    cacheRead: 0,
    cacheWrite: isWritten ? input : 0,
  });
}

type UsedTokens = Pick<TurnCost, 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning'>;
type UsageDetail = Record<`${'input' | 'output' | 'cache_read' | 'cache_write' | 'reasoning'}_tokens`, number>;

export function costDetail({ micros: amount, currency, partial, ...usage }: TurnCost): JsonObject {
  const cost = currency === null ? null : { amount: formatMicros(BigInt(amount)), currency };
  return { usage: usageDetail(usage), cost, ...(partial && { cost_partial: true }) };
}

export function usageDetail({ input, output, cacheRead, cacheWrite, reasoning }: UsedTokens): UsageDetail {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: reasoning,
  };
}

function micros(
  price: ModelPrice,
  { input, output, cacheRead, cacheWrite }: Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>,
): bigint {
  const exact =
    BigInt(Math.max(0, input - cacheRead - cacheWrite)) * price.inputMicros +
    BigInt(cacheRead) * price.cacheReadMicros +
    BigInt(cacheWrite) * price.cacheWriteMicros +
    BigInt(output) * price.outputMicros;
  return (exact + MILLION - 1n) / MILLION;
}
