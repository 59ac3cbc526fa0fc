import { formatBytes, formatDuration, formatMoney, formatRate, formatRelative } from './format-values.js';

describe('durations', () => {
  it.each([
    [0, '0 ms'],
    [640, '640 ms'],
    [3_240, '3.2 s'],
    [59_999, '59.9 s'],
    [250_000, '4 min 10 s'],
    [3_600_000, '1 h'],
    [50_700_000, '14 h 5 min'],
    [266_400_000, '3 d 2 h'],
  ])('show %d ms as %s', (millis, text) => {
    expect(formatDuration(millis)).toBe(text);
  });
});

describe('relative times', () => {
  const now = Date.parse('2026-01-31T12:00:00Z');

  it.each([
    ['2026-01-31T11:59:58Z', 'just now'],
    ['2026-01-31T11:55:00Z', '5 min ago'],
    ['2026-01-31T14:00:00Z', 'in 2 h'],
    ['2026-02-01T11:50:00Z', 'in 24 h'],
    ['2026-01-29T12:00:00Z', '2 d ago'],
  ])('show %s as %s', (time, text) => {
    expect(formatRelative(time, now)).toBe(text);
  });
});

describe('money', () => {
  it('keeps two digits of small amounts, and marks sums that are not complete', () => {
    expect(formatMoney({ amount: '0.001234', currency: 'EUR' })).toMatch(/0[.,]0012/);
    expect(formatMoney({ amount: '12', currency: 'EUR', partial: true })).toMatch(/^≥ .*12/);
  });
});

describe('rates', () => {
  it.each([
    [0, 31, '0%'],
    [17, 155, '11%'],
    [26, 237, '11%'],
    [1, 9, '11.1%'],
    [1, 4_000, '0.1%'],
    [3_999, 4_000, '99.9%'],
    [5, 5, '100%'],
  ])('show %d of %d as %s', (part, whole, text) => {
    expect(formatRate(part, whole)).toBe(text);
  });
});

describe('sizes', () => {
  it.each([
    [0, '0 B'],
    [812, '812 B'],
    [4_210, '4.1 KiB'],
    [12 * 1_048_576, '12 MiB'],
  ])('show %d bytes as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});
