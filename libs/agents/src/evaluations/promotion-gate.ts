import { furtherPassesNeeded, type PromotionGate, wilsonLowerBound } from '@app/definition';

export const GATE_RESULTS = ['passed', 'failed', 'inconclusive'] as const;
export type GateResult = (typeof GATE_RESULTS)[number];

export type GateVerdict = { result: GateResult; reasons: string[] };

/**
 * One run of a case, with its grade. `errored` means that the run could not be graded. `inconclusive` means that it is
 * unknown whether an assertion holds.
 */
export interface GradedTrial {
  readonly caseName: string;
  readonly tags: readonly string[];
  readonly grade: GateResult | 'errored';
  readonly costMicros: bigint;
  readonly durationMs: number | null;
}

export interface GateEvidence {
  readonly trials: readonly GradedTrial[];
  /** Empty if the gate does not compare the versions. */
  readonly baseline: readonly GradedTrial[];
}

export interface JudgedEvidence {
  readonly verdict: GateVerdict;
  /** Null if no trial could be graded. */
  readonly passRate: number | null;
  readonly confidenceLow: number | null;
}

const WITHOUT_GATE: PromotionGate = {
  minPassRate: null,
  confidence: 0.95,
  mustPassTags: [],
  maxRegressions: null,
  maxCostIncrease: null,
  maxLatencyIncrease: null,
  maxAgeMs: null,
};

interface Finding {
  result: GateResult;
  reason: string;
}

/** Only `passed` allows a promotion. If there is no gate, or the gate has no `min_pass_rate`, every case must pass. */
export function judgeGate(gate: PromotionGate | null, evidence: GateEvidence): JudgedEvidence {
  const rules = gate ?? WITHOUT_GATE;
  const decided = evidence.trials.filter(({ grade }) => grade === 'passed' || grade === 'failed');
  const passed = decided.filter(({ grade }) => grade === 'passed').length;
  const undecidedCases = undecided(evidence.trials);
  const others = [
    ...mustPass(rules, evidence.trials),
    ...regressions(rules, evidence),
    ...increase('cost', rules.maxCostIncrease, evidence, ({ costMicros }) => Number(costMicros)),
    ...increase('active time', rules.maxLatencyIncrease, evidence, ({ durationMs }) => durationMs ?? 0),
  ];
  const alone = undecidedCases.length === 0 && others.length === 0;
  const findings = [
    ...undecidedCases,
    rate(rules, { passed, samples: decided.length, alone }, evidence.trials),
    ...others,
  ];
  const result = (['failed', 'inconclusive'] as const).find((each) => findings.some((found) => found.result === each));
  // If a rule failed or is inconclusive, only such rules are reported.
  const reported = findings.filter((found) => result === undefined || found.result !== 'passed');
  return {
    verdict: { result: result ?? 'passed', reasons: reported.map(({ reason }) => reason) },
    passRate: decided.length === 0 ? null : passed / decided.length,
    confidenceLow: decided.length === 0 ? null : wilsonLowerBound(passed, decided.length, rules.confidence),
  };
}

/** `alone` says that no other rule prevents the promotion, so that more passing trials would be enough for the gate. */
function rate(
  { minPassRate, confidence }: PromotionGate,
  { passed, samples, alone }: { passed: number; samples: number; alone: boolean },
  trials: readonly GradedTrial[],
): Finding {
  const unit = trials.length > casesOf(trials).length ? 'trials' : 'cases';
  const failed = casesOf(trials.filter(({ grade }) => grade === 'failed'));
  const failures = failed.length === 0 ? '' : ` Failed: ${named(failed)}.`;
  const counted = `${passed} of ${samples} ${unit} passed`;
  if (samples === 0)
    return { result: 'inconclusive', reason: 'No case could be graded, so the gate cannot be applied.' };
  if (minPassRate === null) {
    const result = passed === samples ? 'passed' : 'failed';
    return {
      result,
      reason: result === 'passed' ? `${counted}.` : `${counted}, but all of them must pass.${failures}`,
    };
  }
  const needed = percent(minPassRate);
  if (passed / samples < minPassRate)
    return { result: 'failed', reason: `${counted}, but ${needed} is required.${failures}` };
  const bound = wilsonLowerBound(passed, samples, confidence);
  const proven = percent(Math.floor(bound * 100) / 100);
  const proof = `${counted}. At ${percent(confidence)} confidence this proves a pass rate of ${proven}`;
  if (bound >= minPassRate) return { result: 'passed', reason: `${proof}, and ${needed} is required.` };
  const more = furtherPassesNeeded(passed, samples, minPassRate, confidence);
  const further = `${more} more passing ${more === 1 ? unit.slice(0, -1) : unit}`;
  const remedy = alone ? `${further} would be enough.` : `This rule needs ${further}.`;
  return {
    result: 'inconclusive',
    reason: `${proof}, but ${needed} is required. ${remedy}${failures}`,
  };
}

function undecided(trials: readonly GradedTrial[]): Finding[] {
  const count = (grade: GradedTrial['grade']): number =>
    casesOf(trials.filter((trial) => trial.grade === grade)).length;
  const [errored, inconclusive] = [count('errored'), count('inconclusive')];
  const findings: Finding[] = [];
  if (errored > 0) {
    findings.push({
      result: 'inconclusive',
      reason: `${cases(errored)} could not be graded, because their runs were interrupted. Start the evaluation again.`,
    });
  }
  if (inconclusive > 0) {
    findings.push({
      result: 'inconclusive',
      reason: `${cases(inconclusive)} could not be decided. See the inconclusive assertions in the results.`,
    });
  }
  return findings;
}

function mustPass({ mustPassTags }: PromotionGate, trials: readonly GradedTrial[]): Finding[] {
  const bound = trials.filter(({ tags }) => tags.some((tag) => mustPassTags.includes(tag)));
  const failed = casesOf(bound.filter(({ grade }) => grade === 'failed'));
  if (failed.length === 0) return [];
  const tags = mustPassTags.map((tag) => `\`${tag}\``).join(', ');
  return [{ result: 'failed', reason: `Every case tagged ${tags} must pass; these failed: ${named(failed)}.` }];
}

/**
 * A case regressed if all its trials with the production version passed, and at least one trial with this version
 * failed.
 */
function regressions({ maxRegressions }: PromotionGate, { trials, baseline }: GateEvidence): Finding[] {
  if (maxRegressions === null || baseline.length === 0) return [];
  const failed = casesOf(trials.filter(({ grade }) => grade === 'failed'));
  const notPassedBefore = new Set(casesOf(baseline.filter(({ grade }) => grade !== 'passed')));
  const before = new Set(casesOf(baseline));
  const regressed = failed.filter((name) => before.has(name) && !notPassedBefore.has(name));
  if (regressed.length <= maxRegressions) return [];
  const allowed = maxRegressions === 0 ? 'no such case is allowed' : `at most ${maxRegressions} such cases are allowed`;
  const reason = `${cases(regressed.length)} passed with the production version and failed with this version, but ${allowed}: ${named(regressed)}.`;
  return [{ result: 'failed', reason }];
}

/** `limit` is a share: 0.25 is 25 %. */
function increase(
  what: string,
  limit: number | null,
  { trials, baseline }: GateEvidence,
  measure: (trial: GradedTrial) => number,
): Finding[] {
  if (limit === null || baseline.length === 0) return [];
  const ended = (each: readonly GradedTrial[]) => each.filter(({ grade }) => grade !== 'errored');
  const [now, before] = [ended(trials), ended(baseline)];
  const both = new Set(casesOf(now).filter((name) => before.some(({ caseName }) => caseName === name)));
  if (both.size === 0) {
    return [{ result: 'inconclusive', reason: `The ${what} cannot be compared: no case finished with both versions.` }];
  }
  const mean = (each: readonly GradedTrial[]): number => {
    const values = each.filter(({ caseName }) => both.has(caseName)).map(measure);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const [after, reference] = [mean(now), mean(before)];
  if (after <= reference * (1 + limit)) return [];
  const by = reference === 0 ? 'from zero' : `by ${percent(after / reference - 1)}`;
  return [
    {
      result: 'failed',
      reason: `The ${what} of a run rose ${by} compared with the production version, but at most ${percent(limit)} is allowed.`,
    },
  ];
}

function casesOf(trials: readonly GradedTrial[]): string[] {
  return [...new Set(trials.map(({ caseName }) => caseName))];
}

function cases(count: number): string {
  return count === 1 ? '1 case' : `${count} cases`;
}

const NAMED = 5;

function named(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).map((name) => JSON.stringify(name));
  return names.length > NAMED ? `${shown.join(', ')} and ${names.length - NAMED} more` : shown.join(', ');
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10}%`;
}
