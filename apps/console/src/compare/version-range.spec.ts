import { gateRules, versionRange } from './version-range.js';

describe('the address of a comparison', () => {
  it('has two version numbers with three dots between them', () => {
    expect(versionRange('3...17')).toEqual([3, 17]);
    for (const wrong of ['3..7', '3', '0...1', 'a...b', '3...7x', '']) expect(versionRange(wrong)).toBeUndefined();
  });
});

describe('the gate of a definition', () => {
  it('is its rules and its cases', () => {
    const evaluation = {
      cases: [{ name: 'a', tags: ['safety'], assert: [{}, {}] }],
      gate: { min_pass_rate: 0.9, must_pass: { tags: ['safety'] }, max_age: '7d' },
    };
    expect(gateRules({ evaluation })).toEqual({
      gate: [
        ['Lowest pass rate', '90%'],
        ['Must pass', 'safety'],
        ['Oldest evaluation', '7 days'],
      ],
      cases: [{ name: 'a', tags: ['safety'], assertions: 2 }],
      replaysRuns: false,
    });
  });

  it('asks of every case to pass if it names no rate', () => {
    expect(gateRules({ evaluation: { gate: {}, from_runs: {} } })).toEqual({
      gate: [['Lowest pass rate', 'every case must pass']],
      cases: [],
      replaysRuns: true,
    });
    expect(gateRules({ evaluation: { cases: [] } })).toBeUndefined();
    expect(gateRules({})).toBeUndefined();
  });
});
