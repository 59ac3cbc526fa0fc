import type { RetryPolicy } from '@app/definition';
import { nextTry } from './retries.js';
import type { CallError } from './run-error.js';

const POLICY: RetryPolicy = {
  maxAttempts: 3,
  maxAttemptsUnanswered: 3,
  backoff: 'exponential',
  initialMs: 1_000,
  maxMs: 1_500,
  retryOn: ['provider_error', 'provider_rate_limited'],
};
const MODEL = { provider: 'p', name: 'm', params: {}, fallback: [] };
const busy = (more: Partial<CallError> = {}): CallError => ({
  code: 'provider_rate_limited',
  message: 'busy',
  step: null,
  ...more,
});

describe('the next try of a turn', () => {
  it('comes later each time, up to the longest pause, and not more often than the policy says', () => {
    expect(nextTry(MODEL, POLICY, 0)).toMatchObject({ delayMs: 0 });
    expect(nextTry(MODEL, POLICY, 1, busy())).toMatchObject({ delayMs: 1_000 });
    expect(nextTry(MODEL, POLICY, 2, busy())).toMatchObject({ delayMs: 1_500 });
    expect(nextTry(MODEL, POLICY, 3, busy())).toBeNull();
  });

  it('is not before the time that the provider asks for, unless it asks for too much', () => {
    expect(nextTry(MODEL, POLICY, 1, busy({ retryAfterMs: 60_000 }))).toMatchObject({ delayMs: 60_000 });
    expect(nextTry(MODEL, POLICY, 1, busy({ retryAfterMs: 3_600_000 }))).toBeNull();
  });

  it('does not come after what would fail again or what the policy leaves out', () => {
    expect(nextTry(MODEL, POLICY, 1, busy({ permanent: true }))).toBeNull();
    expect(nextTry(MODEL, POLICY, 1, busy({ code: 'timeout' }))).toBeNull();
  });
});
