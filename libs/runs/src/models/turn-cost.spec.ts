import { costDetail, turnCost, turnEstimate, type TurnUsage, UNKNOWN_USAGE } from './turn-cost.js';

const INPUT = { inputMicros: 3_000_000n, cacheReadMicros: 3_000_000n, cacheWriteMicros: 3_000_000n };
const PRICE = { ...INPUT, outputMicros: 15_000_000n, currency: 'USD' };
const MODEL = { provider: 'p', name: 'm' };
const used = (usage: Partial<TurnUsage>): TurnUsage => ({ ...UNKNOWN_USAGE, ...usage });

describe('what a turn costs', () => {
  it('is tokens by price, rounded up to the millionth', () => {
    expect(turnCost(MODEL, PRICE, used({ input: 1_000, output: 100 }))).toMatchObject({
      micros: 4_500,
      partial: false,
    });
    expect(turnCost(MODEL, { ...PRICE, inputMicros: 1n }, used({ input: 1, output: 0 }))).toMatchObject({ micros: 1 });
    expect(costDetail(turnCost(MODEL, PRICE, used({ input: 1_000, output: 100 })))).toEqual({
      usage: {
        input_tokens: 1_000,
        output_tokens: 100,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
      },
      cost: { amount: '0.0045', currency: 'USD' },
    });
  });

  it('is not known, and not guessed, without a price or a count', () => {
    const unpriced = turnCost(MODEL, undefined, used({ input: 10, output: 10 }));
    expect(unpriced).toMatchObject({ micros: 0, currency: null, partial: true, input: 10 });
    expect(costDetail(unpriced)).toMatchObject({ cost: null, cost_partial: true });
    expect(turnCost(MODEL, PRICE, used({ input: 10, output: undefined }))).toMatchObject({ partial: true });
  });

  it('counts cached tokens at their own prices, exact to the last digit', () => {
    const price = {
      inputMicros: 1_000_000n,
      cacheReadMicros: 50_000n,
      cacheWriteMicros: 1_250_000n,
      outputMicros: 5_000_000n,
      currency: 'USD',
    };
    const usage = used({ input: 1_000, cacheRead: 600, cacheWrite: 100, output: 40, reasoning: 30 });
    expect(costDetail(turnCost(MODEL, price, usage))).toEqual({
      usage: {
        input_tokens: 1_000,
        output_tokens: 40,
        cache_read_tokens: 600,
        cache_write_tokens: 100,
        reasoning_tokens: 30,
      },
      cost: { amount: '0.000655', currency: 'USD' },
    });
    const more = used({ input: 10, cacheRead: 20, cacheWrite: 0, output: 0 });
    expect(turnCost(MODEL, price, more)).toMatchObject({ micros: 1, partial: false });
  });

  it('is set aside beforehand by the length of the prompt and the longest answer', () => {
    const turn = { characters: 300, maxOutputTokens: 100, isCached: false };
    expect(turnEstimate(PRICE, turn)).toBe(300n + 1_500n);
    expect(turnEstimate(undefined, turn)).toBe(0n);
  });

  it('is set aside with the price of writes to the cache, if it is higher, and with no reads', () => {
    const turn = { characters: 300, maxOutputTokens: 100, isCached: true };
    const writes = { ...PRICE, cacheReadMicros: 0n, cacheWriteMicros: 4_000_000n };
    expect(turnEstimate(writes, turn)).toBe(400n + 1_500n);
    expect(turnEstimate({ ...writes, cacheWriteMicros: 1n }, turn)).toBe(300n + 1_500n);
    expect(turnEstimate(writes, { ...turn, isCached: false })).toBe(300n + 1_500n);
  });
});
