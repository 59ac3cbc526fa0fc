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

  const TWO = { ...MODEL, fallback: [{ provider: 'p', name: 'n' }] };
  const empty = (count: number, repeats = 0): CallError =>
    busy({ code: 'provider_error', empty: count, ...(repeats > 0 && { repeats }) });
  const refused = busy({ code: 'provider_error', permanent: true, body: { reason: 'refused' } });

  it('asks the same model once more after an empty answer, and then the next model', () => {
    expect(nextTry(TWO, POLICY, 1, empty(1))).toMatchObject({
      choice: { name: 'm' },
      isRepeat: true,
      repeats: 1,
      delayMs: 0,
    });
    expect(nextTry(TWO, POLICY, 2, empty(2, 1))).toMatchObject({ choice: { name: 'n' }, isRepeat: false, repeats: 1 });
    expect(nextTry(TWO, POLICY, 3, empty(1, 1))).toMatchObject({ choice: { name: 'n' }, isRepeat: true, repeats: 2 });
    expect(nextTry(TWO, POLICY, 4, empty(2, 2))).toBeNull();
    expect(nextTry(TWO, POLICY, 3, busy({ repeats: 1 }))).toMatchObject({ choice: { name: 'm' }, delayMs: 1_000 });
    expect(nextTry(MODEL, POLICY, 2, empty(2, 1))).toBeNull();
  });

  it('asks the next model after a refusal only if the definition says so', () => {
    expect(nextTry(TWO, POLICY, 1, refused)).toBeNull();
    const willing = { ...TWO, fallbackOn: ['refused'] as const };
    expect(nextTry(willing, POLICY, 1, refused)).toMatchObject({ choice: { name: 'n' }, delayMs: 0 });
    expect(nextTry(willing, POLICY, 2, refused)).toBeNull();
  });

  it('never asks a model again that refused or was empty twice, also in later rounds', () => {
    const willing = {
      ...TWO,
      fallback: [...TWO.fallback, { provider: 'p', name: 'o' }],
      fallbackOn: ['refused'] as const,
    };
    const round = nextTry(willing, POLICY, 3, busy({ spent: [0] }));
    expect(round).toMatchObject({ choice: { name: 'n' }, position: 1, delayMs: 1_000, repeats: -1, spent: [0] });
    const second = nextTry(willing, POLICY, 4, busy({ spent: [0], repeats: -1 }));
    expect(second).toMatchObject({ choice: { name: 'o' }, delayMs: 0 });
    const third = nextTry(willing, POLICY, 5, busy({ spent: [0], repeats: -1 }));
    expect(third).toMatchObject({ choice: { name: 'n' }, delayMs: 1_500, repeats: -2 });
    expect(nextTry(willing, POLICY, 7, busy({ spent: [0], repeats: -2 }))).toBeNull();
    expect(nextTry(willing, POLICY, 3, busy({ spent: [0, 1, 2] }))).toBeNull();
  });

  it('asks the same model while the storage of files does not answer, which no policy counts', () => {
    const away = { code: 'tool_error', awaitsStorage: true } as const;
    expect(nextTry(TWO, POLICY, 1, busy({ ...away, postponed: 1 }))).toMatchObject({
      choice: { name: 'm' },
      delayMs: 500,
      repeats: 1,
    });
    expect(nextTry(TWO, POLICY, 3, busy({ ...away, postponed: 2, repeats: 1 }))).toMatchObject({
      choice: { name: 'n' },
      delayMs: 1_000,
      repeats: 2,
    });
    expect(nextTry(TWO, POLICY, 21, busy({ ...away, postponed: 21, repeats: 20 }))).toBeNull();
    expect(nextTry(TWO, POLICY, 3, busy({ repeats: 2 }))).toMatchObject({ choice: { name: 'n' }, delayMs: 0 });
  });
});
