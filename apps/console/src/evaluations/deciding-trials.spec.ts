import { decidingText, furtherPasses, lowerBound, rateRule } from './deciding-trials.js';

const RULE = { minPassRate: 0.9, confidence: 0.95 };

describe('the trials that decide about a gate', () => {
  it.each([
    [41, 41, 0.95, 0.938096],
    [10, 10, 0.95, 0.787058],
    [18, 20, 0.95, 0.738337],
    [10, 10, 0.5, 1],
    [0, 5, 0.95, 0],
  ])('bounds %d of %d at %d by Wilson as the service does', (passed, trials, confidence, bound) => {
    expect(lowerBound(passed, trials, confidence)).toBeCloseTo(bound, 5);
  });

  it('are the fewest further passes that lift the bound to what the gate needs', () => {
    expect(furtherPasses(3, 3, RULE)).toBe(22);
    expect(lowerBound(25, 25, 0.95)).toBeGreaterThanOrEqual(0.9);
    expect(lowerBound(24, 24, 0.95)).toBeLessThan(0.9);
    expect(furtherPasses(25, 25, RULE)).toBe(0);
  });

  it('are stated in a sentence, with the setting that makes them', () => {
    expect(decidingText({ passed: 3, trials: 3, cases: 1, otherRule: false }, RULE)).toBe(
      '3 of 3 trials passed. With 95% confidence, this proves a pass rate of 52.5%, and the gate needs 90%. 22 more passing trials decide. Set evaluation.trials to 25 or more.',
    );
    expect(decidingText({ passed: 25, trials: 25, cases: 5, otherRule: false }, RULE)).toContain(
      'This rule needs no further trial',
    );
    expect(decidingText({ passed: 1, trials: 2, cases: 2, otherRule: false }, RULE)).toBe(
      '1 of 2 trials passed. The gate needs 90%. This version is below this rate.',
    );
    expect(decidingText({ passed: 2, trials: 2, cases: 2, otherRule: false }, undefined)).toContain(
      'needs all of them',
    );
    expect(decidingText({ passed: 3, trials: 3, cases: 1, otherRule: true }, RULE)).toContain(
      'This rule needs 22 more passing trials. Set',
    );
    expect(decidingText({ passed: 0, trials: 0, cases: 2, otherRule: false }, RULE)).toBe('No trial is graded yet.');
  });

  it('are read from the definition', () => {
    expect(rateRule({ evaluation: { gate: { min_pass_rate: 0.9 } } })).toEqual(RULE);
    expect(rateRule({ evaluation: { gate: { min_pass_rate: 0.8, confidence: 0.9 } } })?.confidence).toBe(0.9);
    expect(rateRule({ evaluation: { gate: { min_pass_rate: 1 } } })).toBeUndefined();
    expect(rateRule({ name: 'x' })).toBeUndefined();
  });
});
