import { comparedTitles, differenceSummary } from './comparison-text.js';

const run = (id: string, replay_of: string | null = null) => ({ id, replay_of });
const money = (amount: string, more: object = {}) => ({ amount, currency: 'USD', partial: false, ...more });
const ended = (more: object = {}) => ({
  output: { total: 1 },
  error: null,
  ended_at: '2026-01-31T08:00:02Z',
  duration_ms: 2_000,
  cost: money('0.01'),
  ...more,
});

describe('the titles of compared runs', () => {
  it('say which run is the original and which the replay, whichever the page shows', () => {
    expect(comparedTitles(run('a'), run('b', 'a'))).toEqual(['Original', 'Replay']);
    expect(comparedTitles(run('b', 'a'), run('a'))).toEqual(['Replay', 'Original']);
  });

  it('name no replay of a third run, and none before the other run is read', () => {
    expect(comparedTitles(run('a'), run('b', 'c'))).toEqual(['Other run', 'This run']);
    expect(comparedTitles(run('a', 'c'), run('b', 'c'))).toEqual(['Other run', 'This run']);
    expect(comparedTitles(undefined, run('b', 'a'))).toEqual(['Other run', 'This run']);
    expect(comparedTitles(undefined, run('b'))).toEqual(['Other run', 'This run']);
  });
});

describe('the summary of a comparison', () => {
  it('says how output, steps, active time and cost differ', () => {
    const after = ended({ output: { total: 2 }, duration_ms: 2_300, cost: money('0.012') });
    expect(differenceSummary(ended(), after, { all: 5, different: 2 })).toMatch(
      /^The output differs, 2 of 5 steps differ, 300 ms slower, \+\D*0[.,]0020\D*\.$/,
    );
    expect(differenceSummary(after, ended(), { all: 5, different: 1 })).toContain('300 ms faster, −');
  });

  it('says that two runs are alike', () => {
    expect(differenceSummary(ended(), ended(), { all: 3, different: 0 })).toBe(
      'The outputs are equal, no step differs, equally fast, same cost.',
    );
  });

  it('compares an error as the output, and no costs that have no difference', () => {
    const failed = ended({ output: null, error: { code: 'timeout' }, cost: money('1', { currency: 'EUR' }) });
    expect(differenceSummary(ended(), failed, { all: 1, different: 1 })).toBe(
      'The output differs, 1 of 1 steps differ, equally fast.',
    );
    expect(differenceSummary(ended(), ended({ cost: money('2', { partial: true }) }), { all: 1, different: 0 })).toBe(
      'The outputs are equal, no step differs, equally fast.',
    );
  });

  it('has no result of a run that has not ended', () => {
    expect(differenceSummary(ended(), ended({ ended_at: null }), { all: 2, different: 1 })).toBe(
      'A run that has not ended has no result to compare yet; 1 of 2 steps differ.',
    );
  });
});
