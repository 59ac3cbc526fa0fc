import type { Usage } from './usage-query.js';
import { costIn, groupsOf } from './usage-series.js';

const usage = (group: Partial<Usage>, amount: string, currency = 'EUR'): Usage => ({
  runs: 2,
  tokens: { input: 10, output: 5, cache_read: 8, cache_write: 0, reasoning: 0 },
  cost: { amount, currency },
  ...group,
});
const period = { since: '2026-01-29T10:00:00.000Z', until: '2026-02-01T00:00:00.000Z' };

describe('the usage of a period', () => {
  it('has each of its days, also those without a run', () => {
    const data = [usage({ day: '2026-01-30' }, '0.5')];
    const groups = groupsOf({ group_by: 'day', ...period, data });
    expect(groups.map(({ key, runs }) => [key, runs])).toEqual([
      ['2026-01-29', 0],
      ['2026-01-30', 2],
      ['2026-01-31', 0],
    ]);
  });

  it('lists the dearest agent first, by its name', () => {
    const data = [usage({ agent: 'agt_1', agent_name: 'cheap' }, '0.5'), usage({ agent: 'agt_2' }, '3')];
    expect(groupsOf({ group_by: 'agent', ...period, data }).map(({ name }) => name)).toEqual(['agt_2', 'cheap']);
  });

  it('keeps currencies apart', () => {
    const data = [usage({ model: 'a/b' }, '0.5'), usage({ model: 'a/b' }, '2', 'USD')];
    const [group] = groupsOf({ group_by: 'model', ...period, data });
    expect(group).toMatchObject({ runs: 4, input: 20, output: 10, cached: 16 });
    expect(group && [costIn(group, 'EUR'), costIn(group, 'USD')]).toEqual([0.5, 2]);
  });
});
