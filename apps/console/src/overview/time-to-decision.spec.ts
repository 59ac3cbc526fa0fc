import { medianMillis } from './time-to-decision.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 31, 8, minute)).toISOString();
const decided = (from: number, to: number | null) => ({ opened_at: at(from), decided_at: to === null ? null : at(to) });

describe('the time to a decision', () => {
  it('is the median of the decided approvals of the period', () => {
    const approvals = [decided(10, 11), decided(10, 40), decided(20, 22), decided(30, null), decided(0, 59)];
    expect(medianMillis(approvals, Date.parse(at(5)))).toBe(2 * 60_000);
    expect(medianMillis([], 0)).toBeUndefined();
  });
});
