import type { PromotionGate } from '@app/definition';
import { type GradedTrial, judgeGate } from './promotion-gate.js';

const GATE: PromotionGate = {
  minPassRate: 0.9,
  confidence: 0.95,
  mustPassTags: [],
  maxRegressions: null,
  maxCostIncrease: null,
  maxLatencyIncrease: null,
  maxAgeMs: null,
};

const trial = (caseName: string, overrides: Partial<GradedTrial> = {}): GradedTrial => ({
  caseName,
  tags: [],
  grade: 'passed',
  costMicros: 0n,
  durationMs: 10,
  ...overrides,
});

const trials = (total: number, passed: number): GradedTrial[] =>
  Array.from({ length: total }, (_, n) => trial(`case ${n + 1}`, { grade: n < passed ? 'passed' : 'failed' }));

const judge = (gate: Partial<PromotionGate>, each: GradedTrial[], baseline: GradedTrial[] = []) =>
  judgeGate({ ...GATE, ...gate }, { trials: each, baseline });

describe('the gate', () => {
  it('passes where the lower bound reaches the pass rate', () => {
    expect(judge({}, trials(40, 40))).toEqual({
      verdict: {
        result: 'passed',
        reasons: ['40 of 40 cases passed. At 95% confidence this proves a pass rate of 93%, and 90% is required.'],
      },
      passRate: 1,
      confidenceLow: expect.closeTo(0.9366, 4),
    });
  });

  it('is inconclusive with too few samples, and says how many more would do', () => {
    expect(judge({}, trials(20, 19)).verdict).toEqual({
      result: 'inconclusive',
      reasons: [
        '19 of 20 cases passed. At 95% confidence this proves a pass rate of 80%, but 90% is required. 22 more passing cases would be enough. Failed: "case 20".',
      ],
    });
  });

  it('does what it says: with so many more the verdict is another one', () => {
    expect(judge({}, trials(41, 40)).verdict.result).toBe('inconclusive');
    expect(judge({}, trials(42, 41)).verdict.result).toBe('passed');
  });

  it('fails where too few passed, however many there were', () => {
    expect(judge({}, trials(20, 17)).verdict).toEqual({
      result: 'failed',
      reasons: ['17 of 20 cases passed, but 90% is required. Failed: "case 18", "case 19", "case 20".'],
    });
  });

  it('takes every trial of a case as a sample', () => {
    const each = trials(10, 10).flatMap((one) => [one, one, one]);
    expect(judge({}, each).verdict.reasons).toEqual([
      '30 of 30 trials passed. At 95% confidence this proves a pass rate of 91%, and 90% is required.',
    ]);
  });

  it('without a pass rate asks for all of them', () => {
    expect(judge({ minPassRate: null }, trials(2, 2)).verdict.result).toBe('passed');
    expect(judge({ minPassRate: null }, trials(2, 1)).verdict).toEqual({
      result: 'failed',
      reasons: ['1 of 2 cases passed, but all of them must pass. Failed: "case 2".'],
    });
    expect(judgeGate(null, { trials: trials(3, 2), baseline: [] }).verdict.result).toBe('failed');
  });

  it('fails where a case with a tag that must pass failed, whatever the rate', () => {
    const each = [...trials(99, 99), trial('refund', { tags: ['safety'], grade: 'failed' })];
    expect(judge({ mustPassTags: ['safety'] }, each).verdict).toEqual({
      result: 'failed',
      reasons: ['Every case tagged `safety` must pass; these failed: "refund".'],
    });
  });

  it.each<[string, Partial<PromotionGate>, GradedTrial]>([
    [
      'a case that must pass failed',
      { mustPassTags: ['safety'] },
      trial('refund', { tags: ['safety'], grade: 'failed' }),
    ],
    ['a case regressed', { maxRegressions: 0 }, trial('refund', { grade: 'failed' })],
    ['a case could not be graded', {}, trial('refund', { grade: 'errored' })],
  ])('does not promise that more passing trials are enough if %s', (_, gate, broken) => {
    const { reasons } = judge(gate, [...trials(19, 19), broken], [trial('refund')]).verdict;
    expect(reasons.filter((reason) => reason.includes('would be enough'))).toEqual([]);
    expect(reasons).toContainEqual(expect.stringMatching(/ This rule needs \d+ more passing cases\./));
  });

  it('does not pass with cases that errored or could not be decided', () => {
    for (const grade of ['errored', 'inconclusive'] as const) {
      const { verdict, passRate } = judge({}, [...trials(40, 40), trial('odd', { grade })]);
      expect(verdict).toEqual({ result: 'inconclusive', reasons: [expect.stringMatching(/^1 case could not be /)] });
      expect(passRate).toBe(1);
    }
  });

  it('is inconclusive without anything to judge by', () => {
    expect(judge({}, [])).toEqual({
      verdict: { result: 'inconclusive', reasons: ['No case could be graded, so the gate cannot be applied.'] },
      passRate: null,
      confidenceLow: null,
    });
  });

  describe('against the production version', () => {
    it('counts the cases that passed before and do not now', () => {
      const now = trials(40, 39);
      expect(judge({ maxRegressions: 1 }, now, trials(40, 40)).verdict.result).toBe('inconclusive');
      expect(judge({ minPassRate: 0.5, maxRegressions: 1 }, now, trials(40, 40)).verdict.result).toBe('passed');
      expect(judge({ minPassRate: 0.5, maxRegressions: 0 }, now, trials(40, 40)).verdict).toEqual({
        result: 'failed',
        reasons: [
          '1 case passed with the production version and failed with this version, but no such case is allowed: "case 40".',
        ],
      });
    });

    it('does not hold against a version what failed before as well', () => {
      expect(judge({ minPassRate: 0.5, maxRegressions: 0 }, trials(40, 39), trials(40, 39)).verdict.result).toBe(
        'passed',
      );
    });

    it('compares the mean cost of a run', () => {
      const now = trials(40, 40).map((each) => ({ ...each, costMicros: 1_300n }));
      const before = trials(40, 40).map((each) => ({ ...each, costMicros: 1_000n }));
      expect(judge({ maxCostIncrease: 0.3 }, now, before).verdict.result).toBe('passed');
      expect(judge({ maxCostIncrease: 0.25 }, now, before).verdict).toEqual({
        result: 'failed',
        reasons: ['The cost of a run rose by 30% compared with the production version, but at most 25% is allowed.'],
      });
      expect(judge({ maxCostIncrease: 0.25 }, now, trials(40, 40)).verdict.reasons).toEqual([
        'The cost of a run rose from zero compared with the production version, but at most 25% is allowed.',
      ]);
    });

    it('compares the mean active time of a run', () => {
      const now = trials(40, 40).map((each) => ({ ...each, durationMs: 30 }));
      expect(judge({ maxLatencyIncrease: 1 }, now, trials(40, 40)).verdict.reasons).toEqual([
        'The active time of a run rose by 200% compared with the production version, but at most 100% is allowed.',
      ]);
    });
  });
});
