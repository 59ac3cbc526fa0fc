import { compileDefinition } from '@app/definition';
import { plannedTrials } from './evaluation-lifecycle.service.js';
import { caseCounts, evaluationOutcome, type OutcomeTrial } from './evaluation-outcome.js';

const definition = compileDefinition({
  name: 'a',
  steps: [{ id: 'result', output: {} }],
  evaluation: {
    trials: 2,
    cases: ['one', 'two'].map((name) => ({ name, input: {}, assert: [{ type: 'status', value: 'succeeded' }] })),
  },
});

const trials = (...statuses: OutcomeTrial['status'][]): OutcomeTrial[] =>
  plannedTrials(definition, [], false).map((trial, n) => ({
    ...trial,
    status: statuses[n] ?? 'pending',
    costMicros: '10',
    judgeCostMicros: '0',
    durationMs: '5',
  }));

describe('the plan of an evaluation', () => {
  it('has every case as often as asked for, recorded runs once, and all of it again for the baseline', () => {
    const plan = plannedTrials(definition, ['run_1'], true);
    expect(plan.map(({ n, caseName, trial, baseline }) => [n, caseName, trial, baseline])).toEqual([
      [1, 'one', 1, false],
      [2, 'one', 2, false],
      [3, 'two', 1, false],
      [4, 'two', 2, false],
      [5, 'run_1', 1, false],
      [6, 'one', 1, true],
      [7, 'one', 2, true],
      [8, 'two', 1, true],
      [9, 'two', 2, true],
      [10, 'run_1', 1, true],
    ]);
  });
});

describe('the outcome of an evaluation', () => {
  it('counts a case as soon as all its trials are graded, as failed with any of them', () => {
    expect(caseCounts(trials('passed', 'passed', 'passed'))).toMatchObject({ total: 2, passed: 1, failed: 0 });
    expect(caseCounts(trials('passed', 'failed', 'errored', 'passed'))).toMatchObject({ failed: 1, errored: 1 });
    expect(caseCounts(trials('passed', 'running', 'inconclusive', 'passed'))).toMatchObject({
      passed: 0,
      inconclusive: 1,
    });
  });

  it('is that of the gate, with the cost of all runs', () => {
    expect(evaluationOutcome(definition, trials('passed', 'passed', 'passed', 'passed'))).toMatchObject({
      status: 'passed',
      passRate: 1,
      costMicros: '40',
      settled: true,
    });
    expect(evaluationOutcome(definition, trials('passed', 'passed', 'passed', 'failed')).status).toBe('failed');
  });

  it('is errored where nothing could be graded, and inconclusive where something could not', () => {
    expect(evaluationOutcome(definition, trials('errored', 'errored', 'errored', 'errored')).status).toBe('errored');
    expect(evaluationOutcome(definition, trials('errored', 'errored', 'passed', 'passed')).status).toBe('inconclusive');
  });

  it('is inconclusive without any case', () => {
    expect(evaluationOutcome(definition, [])).toMatchObject({ status: 'inconclusive', passRate: null });
  });
});
