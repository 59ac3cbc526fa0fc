import { axisMarks, lastDays, mainCurrency } from './days.js';

const statistic = (start: string, status: 'succeeded' | 'failed' | 'cancelled', runs: number, currency = 'EUR') => ({
  start: `${start}T00:00:00.000Z`,
  status,
  runs,
  duration_ms: { p50: 1, p95: 2 },
  cost: { amount: '0.5', currency },
});

const NOW = Date.parse('2026-01-30T15:00:00.000Z');
const STATISTICS = [
  statistic('2026-01-28', 'succeeded', 5),
  statistic('2026-01-28', 'failed', 2),
  statistic('2026-01-28', 'cancelled', 1, 'USD'),
  statistic('2026-01-30', 'succeeded', 1),
];

describe('the activity by day', () => {
  it('ends today, adds the statuses of a day, and has days without a run', () => {
    expect(lastDays(STATISTICS, 'EUR', NOW, 3)).toEqual([
      { start: '2026-01-28T00:00:00.000Z', succeeded: 5, failed: 2, other: 1, cost: 1 },
      { start: '2026-01-29T00:00:00.000Z', succeeded: 0, failed: 0, other: 0, cost: 0 },
      { start: '2026-01-30T00:00:00.000Z', succeeded: 1, failed: 0, other: 0, cost: 0.5 },
    ]);
  });

  it('leaves out what is older than its first day', () => {
    expect(lastDays(STATISTICS, 'EUR', NOW, 1)).toHaveLength(1);
    expect(lastDays(STATISTICS, 'EUR', NOW, 1)[0]).toMatchObject({ succeeded: 1, failed: 0 });
  });

  it('shows costs in the currency of most runs', () => {
    expect(mainCurrency(STATISTICS)).toBe('EUR');
    expect(mainCurrency([])).toBeUndefined();
  });
});

describe('the marks of an axis', () => {
  it.each([
    [0, [0, 1]],
    [3, [0, 1, 2, 3]],
    [47, [0, 20, 40, 60]],
    [0.8, [0, 0.2, 0.4, 0.6, 0.8]],
  ])('reach %s at round numbers', (most, marks) => {
    expect(axisMarks(most)).toEqual(marks);
  });

  it('count runs in whole numbers', () => {
    expect(axisMarks(2, 1)).toEqual([0, 1, 2]);
  });
});
