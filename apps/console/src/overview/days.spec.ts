import { lastDays, mainCurrency } from './days.js';

const statistic = (start: string, status: 'succeeded' | 'failed' | 'cancelled', runs: number, currency = 'EUR') => ({
  start: `${start}T00:00:00.000Z`,
  status,
  runs,
  failed: status === 'failed' ? runs : 0,
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
      { start: '2026-01-28T00:00:00.000Z', succeeded: 5, failed: 2, other: 1, cost: 1, p50: 1, p95: 2 },
      { start: '2026-01-29T00:00:00.000Z', succeeded: 0, failed: 0, other: 0, cost: 0, p50: 0, p95: 0 },
      { start: '2026-01-30T00:00:00.000Z', succeeded: 1, failed: 0, other: 0, cost: 0.5, p50: 1, p95: 2 },
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
