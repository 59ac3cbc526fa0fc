import { costDetail, turnCost, turnEstimate } from './turn-cost.js';

const PRICE = { inputMicros: 3_000_000n, outputMicros: 15_000_000n, currency: 'USD' };
const MODEL = { provider: 'p', name: 'm' };

describe('what a turn costs', () => {
  it('is tokens by price, rounded up to the millionth', () => {
    expect(turnCost(MODEL, PRICE, { input: 1_000, output: 100 })).toMatchObject({ micros: 4_500, partial: false });
    expect(turnCost(MODEL, { ...PRICE, inputMicros: 1n }, { input: 1, output: 0 })).toMatchObject({ micros: 1 });
    expect(costDetail(turnCost(MODEL, PRICE, { input: 1_000, output: 100 }))).toEqual({
      usage: { input_tokens: 1_000, output_tokens: 100 },
      cost: { amount: '0.0045', currency: 'USD' },
    });
  });

  it('is not known, and not guessed, without a price or a count', () => {
    const unpriced = turnCost(MODEL, undefined, { input: 10, output: 10 });
    expect(unpriced).toMatchObject({ micros: 0, currency: null, partial: true, input: 10 });
    expect(costDetail(unpriced)).toMatchObject({ cost: null, cost_partial: true });
    expect(turnCost(MODEL, PRICE, { input: 10, output: undefined })).toMatchObject({ partial: true });
  });

  it('is set aside beforehand by the length of the prompt and the longest answer', () => {
    expect(turnEstimate(PRICE, 300, 100)).toBe(300n + 1_500n);
    expect(turnEstimate(undefined, 300, 100)).toBe(0n);
  });
});
