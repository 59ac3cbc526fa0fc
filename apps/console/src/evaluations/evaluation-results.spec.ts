import {
  caseFindings,
  type CaseResult,
  filterResults,
  gradedTrials,
  isChanged,
  type Trial,
  trialFindings,
} from './evaluation-results.js';

function trial(status: Trial['status'], parts: Partial<Trial> = {}): Trial {
  const cost = { amount: '0', currency: 'EUR' };
  return {
    trial: 1,
    run: null,
    status,
    duration_ms: null,
    cost,
    error: null,
    assertions: [],
    differences: [],
    ...parts,
  };
}

function result(status: CaseResult['status'], trials: Trial[], baseline: Trial[] = []): CaseResult {
  return { case: `is ${status}`, kind: 'case', status, trials, baseline };
}

const DIFFERENCE = { kind: 'missing' as const, path: 'a', recorded: null, made: null, message: 'It did not call a.' };

describe('the results of an evaluation', () => {
  it('are filtered by what did not pass and by what changed', () => {
    const passed = result('passed', [trial('passed')], [trial('passed')]);
    const failed = result('failed', [trial('failed')], [trial('passed')]);
    const other = result('passed', [trial('passed', { differences: [DIFFERENCE] })]);
    const running = result('running', [trial('running')]);
    const all = [passed, failed, other, running];
    expect(filterResults(all, '')).toEqual(all);
    expect(filterResults(all, 'failed')).toEqual([failed]);
    expect(filterResults(all, 'changed')).toEqual([failed, other]);
    expect(isChanged(passed)).toBe(false);
  });

  it('count the graded trials only', () => {
    const results = [result('failed', [trial('passed'), trial('failed'), trial('errored'), trial('running')])];
    expect(gradedTrials(results)).toEqual({ passed: 1, trials: 2 });
  });

  it('say why a trial did not pass', () => {
    const assertions = [
      { type: 'status' as const, result: 'passed' as const, message: null },
      { type: 'equals' as const, result: 'failed' as const, message: '`output` is 1, not 2.' },
    ];
    const found = trialFindings(trial('failed', { error: 'The run ended.', assertions, differences: [DIFFERENCE] }));
    expect(found).toEqual(['The run ended.', 'expected value (failed): `output` is 1, not 2.', 'It did not call a.']);
  });

  it('say each finding once, with its trials', () => {
    const failed = (n: number, ...messages: string[]) =>
      trial('failed', { trial: n, differences: messages.map((message) => ({ ...DIFFERENCE, message })) });
    const found = caseFindings([failed(1, 'No refund.', 'No mail.'), failed(2, 'No refund.'), failed(3, 'No refund.')]);
    expect(found).toEqual([
      { trials: 'Trials 1, 2, 3', text: 'No refund.' },
      { trials: 'Trial 1', text: 'No mail.' },
    ]);
  });
});
