import type { RetryPolicy, ToolOperation } from '@app/definition';
import { retryDelay } from './retries.js';

const POLICY: RetryPolicy = {
  maxAttempts: 4,
  maxAttemptsUnanswered: 4,
  backoff: 'exponential',
  initialMs: 100,
  maxMs: 250,
  retryOn: ['tool_error', 'timeout'],
};
const READ = { effect: 'read' } as ToolOperation;
const WRITE = { effect: 'at_most_once' } as ToolOperation;
const ERROR = { code: 'tool_error', message: 'no', step: 'a' } as const;

describe('the delay before the next try', () => {
  it('doubles up to the maximum and ends with the attempts', () => {
    expect([1, 2, 3, 4].map((tries) => retryDelay(POLICY, READ, ERROR, tries))).toEqual([100, 200, 250, null]);
    expect(retryDelay({ ...POLICY, backoff: 'constant' }, READ, ERROR, 3)).toBe(100);
  });

  it('does not exist for a call that must not happen twice, whatever the policy says', () => {
    expect(retryDelay(POLICY, WRITE, ERROR, 1)).toBeNull();
    expect(retryDelay(POLICY, WRITE, { ...ERROR, unanswered: true }, 1)).toBeNull();
  });

  it('does not exist for errors that the policy does not name, or that are permanent', () => {
    expect(retryDelay(POLICY, READ, { ...ERROR, code: 'tool_denied' }, 1)).toBeNull();
    expect(retryDelay(POLICY, READ, { ...ERROR, permanent: true }, 1)).toBeNull();
  });

  it('is as long as the server asks for, and given up where that is too long', () => {
    expect(retryDelay(POLICY, READ, { ...ERROR, retryAfterMs: 5_000 }, 1)).toBe(5_000);
    expect(retryDelay(POLICY, READ, { ...ERROR, retryAfterMs: 50 }, 2)).toBe(200);
    expect(retryDelay(POLICY, READ, { ...ERROR, retryAfterMs: 3_600_000 }, 1)).toBeNull();
    expect(retryDelay(POLICY, WRITE, { ...ERROR, retryAfterMs: 50 }, 1)).toBeNull();
  });

  it('has attempts of its own when the server did not answer', () => {
    const patient: RetryPolicy = { ...POLICY, maxAttempts: 1, maxAttemptsUnanswered: 3 };
    expect(retryDelay(patient, READ, ERROR, 1)).toBeNull();
    expect(retryDelay(patient, READ, { ...ERROR, unanswered: true }, 2)).toBe(200);
    expect(retryDelay(patient, READ, { ...ERROR, unanswered: true }, 3)).toBeNull();
  });

  it('lasts 15 minutes in total while the storage of files does not answer, also for a write, and counts on its own', () => {
    const away = (postponed: number) =>
      retryDelay({ ...POLICY, maxAttempts: 1 }, WRITE, { ...ERROR, awaitsStorage: true, postponed }, postponed);
    const delays = Array.from({ length: 20 }, (_, index) => away(index + 1));
    expect(delays.slice(0, 9)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(delays.reduce((sum: number, delay) => sum + (delay ?? 0), 0)).toBe(843_500);
    expect(away(21)).toBeNull();
    expect(retryDelay(POLICY, READ, { ...ERROR, postponed: 20 }, 21)).toBe(100);
  });
});
