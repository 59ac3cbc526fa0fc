import { isNearLimit, leftText, reservedText } from './budget-text.js';

const budget = (spent_today: string, reserved: string): NonNullable<Parameters<typeof reservedText>[0]> => ({
  per_day: '2.00',
  currency: 'EUR',
  spent_today,
  reserved,
  resets_at: '2026-11-30T00:00:00.000Z',
});

describe('what running runs reserve of a budget', () => {
  it('is said beside what is spent', () => {
    expect(reservedText(budget('1.60', '0.00'))).toBeUndefined();
    expect(reservedText(budget('1.60', '0.05'))).toMatch(/0[.,]050?\D* reserved by running runs$/);
  });

  it('explains a refusal although less than the limit is spent', () => {
    expect(reservedText(budget('1.60', '0.40'))).toContain('further model calls are refused');
    expect(reservedText(budget('2.00', '0.40'))).not.toContain('refused');
  });
});

describe('what is left of a budget', () => {
  it('is a sum until nothing is left, and little from four fifths on', () => {
    expect(leftText(budget('1.59', '0.00'))).toMatch(/0[.,]41/);
    expect(leftText(budget('2.10', '0.00'))).toBe('nothing');
    expect(['1.59', '1.60', '2.10'].map((spent) => isNearLimit(budget(spent, '0.00')))).toEqual([false, true, true]);
  });
});
