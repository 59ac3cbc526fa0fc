import { formatPercent } from '../ui/format-values.js';

/** Pass rate that a promotion gate requires, and its confidence. Both values are from 0 to 1. */
export interface RateRule {
  minPassRate: number;
  confidence: number;
}

const CONFIDENCE = 0.95;

/**
 * Returns the pass rate that the promotion gate requires, with its confidence. Returns undefined if the gate requires
 * no rate. Also returns undefined if the rate is 1, because further trials then cannot change the result.
 */
export function rateRule(definition: unknown): RateRule | undefined {
  const { evaluation } = definition as { evaluation?: { gate?: { min_pass_rate?: unknown; confidence?: unknown } } };
  const { min_pass_rate: minPassRate, confidence } = evaluation?.gate ?? {};
  if (typeof minPassRate !== 'number' || minPassRate >= 1) return undefined;
  return { minPassRate, confidence: typeof confidence === 'number' ? confidence : CONFIDENCE };
}

/**
 * Returns how many more trials must pass until the lower confidence bound of the pass rate reaches the required rate.
 */
export function furtherPasses(passed: number, trials: number, { minPassRate, confidence }: RateRule): number {
  const isEnough = (more: number): boolean => lowerBound(passed + more, trials + more, confidence) >= minPassRate;
  if (isEnough(0)) return 0;
  let enough = 1;
  while (!isEnough(enough)) enough *= 2;
  let tooFew = Math.floor(enough / 2);
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

export interface GradedCounts {
  passed: number;
  trials: number;
  cases: number;
  /** Whether the gate also has another reason not to pass, so that more passing trials are not enough. */
  otherRule: boolean;
}

/**
 * Returns a text with three values: the lower confidence bound of the pass rate, the required rate, and the number of
 * further trials that must pass.
 */
export function decidingText({ passed, trials, cases, otherRule }: GradedCounts, rule: RateRule | undefined): string {
  if (trials === 0) return 'No trial is graded yet.';
  const counted = `${passed} of ${trials} ${trials === 1 ? 'trial' : 'trials'} passed`;
  if (rule === undefined)
    return `${counted}. The gate needs all of them to pass, so further trials do not change the result.`;
  const needed = formatPercent(rule.minPassRate);
  if (passed / trials < rule.minPassRate)
    return `${counted}. The gate needs ${needed}. This version is below this rate.`;
  const bound = lowerBound(passed, trials, rule.confidence);
  const proven = `${counted}. With ${formatPercent(rule.confidence)} confidence, this proves a pass rate of ${formatPercent(bound)}`;
  const more = furtherPasses(passed, trials, rule);
  if (more === 0) return `${proven}, and the gate needs ${needed}. This rule needs no further trial.`;
  const trialsOfCase = cases > 0 ? Math.ceil((trials + more) / cases) : 0;
  const setting = trialsOfCase > 1 ? ` Set evaluation.trials to ${trialsOfCase} or more.` : '';
  const further = `${more} more passing ${more === 1 ? 'trial' : 'trials'}`;
  const remedy = otherRule ? `This rule needs ${further}.` : `${further} ${more === 1 ? 'decides' : 'decide'}.`;
  return `${proven}, and the gate needs ${needed}. ${remedy}${setting}`;
}

/** Computes the one-sided lower confidence bound of a pass rate by Wilson's score interval, like the service. */
export function lowerBound(passed: number, trials: number, confidence: number): number {
  if (trials === 0) return 0;
  const z = quantile(confidence);
  const share = passed / trials;
  const spread = z * Math.sqrt((share * (1 - share) + (z * z) / (4 * trials)) / trials);
  return Math.max(0, (share + (z * z) / (2 * trials) - spread) / (1 + (z * z) / trials));
}

/** Quantile of the standard normal distribution for a probability from 0.5 to 0.999. */
function quantile(probability: number): number {
  let [low, high] = [0, 8];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (share(middle) < probability) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Cumulative distribution function of the standard normal distribution, by the series of Marsaglia (J. Stat. Softw. 11,
 * 2004).
 */
function share(x: number): number {
  let [sum, term] = [x, x];
  for (let n = 3; term > Number.EPSILON * sum; n += 2) sum += term *= (x * x) / n;
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}
