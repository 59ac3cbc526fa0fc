import { furtherPassesNeeded, normalQuantile, wilsonLowerBound } from './wilson.js';

describe('the quantile of the normal distribution', () => {
  // Expected values from the NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.1. Values with more digits
  // are from Abramowitz and Stegun, table 26.5.
  it.each([
    [0.5, 0],
    [0.8, 0.841621],
    [0.9, 1.281552],
    [0.95, 1.644854],
    [0.975, 1.959964],
    [0.99, 2.326348],
    [0.995, 2.575829],
    [0.999, 3.090232],
    [0.9999, 3.719016],
    [0.9999999, 5.199338],
  ])('of %p is %p', (probability, quantile) => {
    expect(normalQuantile(probability)).toBeCloseTo(quantile, 5);
  });
});

describe('the lower bound of Wilson', () => {
  // Expected values: lower bounds of method 3 in table I of R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872.
  // The two-sided level of 95 % in the table is a one-sided level of 97.5 % here.
  it.each([
    [81, 263, 0.2553],
    [15, 148, 0.0624],
    [0, 20, 0],
    [1, 29, 0.0061],
  ])('of %p in %p agrees with the published interval', (passed, samples, bound) => {
    expect(wilsonLowerBound(passed, samples, 0.975)).toBeCloseTo(bound, 4);
  });

  // Expected values: upper bounds of method 3 in table I of Newcombe (1998). The upper bound for a share of passed
  // samples is one minus the lower bound for the share of failed samples.
  it.each([
    [81, 263, 0.3662],
    [15, 148, 0.1605],
    [0, 20, 0.1611],
    [1, 29, 0.1718],
  ])('of the others than %p in %p agrees as well', (passed, samples, bound) => {
    expect(1 - wilsonLowerBound(samples - passed, samples, 0.975)).toBeCloseTo(bound, 4);
  });

  it('is what remains of n in n without a failure: n / (n + z squared)', () => {
    expect(wilsonLowerBound(20, 20, 0.95)).toBeCloseTo(20 / (20 + 1.644854 ** 2), 6);
  });

  it('proves nothing without a sample', () => {
    expect(wilsonLowerBound(0, 0, 0.95)).toBe(0);
  });
});

describe('the passes that are still needed', () => {
  it.each([
    [0, 0, 0.9, 0.95],
    [19, 20, 0.9, 0.95],
    [190, 200, 0.93, 0.99],
    [24, 24, 0.9, 0.95],
    [3, 10, 0.5, 0.8],
  ])('for %p of %p, %p at %p are just enough', (passed, samples, target, confidence) => {
    const more = furtherPassesNeeded(passed, samples, target, confidence);
    expect(more).toBeGreaterThan(0);
    expect(wilsonLowerBound(passed + more, samples + more, confidence)).toBeGreaterThanOrEqual(target);
    expect(wilsonLowerBound(passed + more - 1, samples + more - 1, confidence)).toBeLessThan(target);
  });

  it('are 25 in all to prove 90 % at 95 %', () => {
    expect(furtherPassesNeeded(0, 0, 0.9, 0.95)).toBe(25);
  });

  it('are none where the bound is reached', () => {
    expect(furtherPassesNeeded(100, 100, 0.9, 0.95)).toBe(0);
  });
});
