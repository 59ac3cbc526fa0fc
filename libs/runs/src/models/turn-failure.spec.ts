import { EgressError } from '@app/platform/egress';
import { APICallError } from 'ai';
import { retryAfter } from '../interpreter/retries.js';
import { turnFailure } from './turn-failure.js';

const NOW = Date.parse('2026-01-31T08:00:00Z');

const answered = (statusCode: number, responseHeaders: Record<string, string> = {}) =>
  turnFailure(
    'fake',
    new APICallError({ message: 'no', url: 'http://x', requestBodyValues: {}, statusCode, responseHeaders }),
    NOW,
  );

describe('why a provider gave no turn', () => {
  it.each([
    [429, 'provider_rate_limited', false],
    [408, 'provider_error', false],
    [500, 'provider_error', false],
    [529, 'provider_error', false],
    [400, 'provider_error', true],
    [401, 'provider_error', true],
    [404, 'provider_error', true],
  ])('%i is %s', (status, code, permanent) => {
    expect(answered(status)).toMatchObject({ code, permanent });
  });

  it('has the time that the provider asks for', () => {
    expect(answered(429, { 'retry-after': '3' })).toMatchObject({ retryAfterMs: 3_000 });
    expect(retryAfter({ 'retry-after': 'Sat, 31 Jan 2026 08:00:05 GMT' }, NOW)).toBe(5_000);
    expect(retryAfter({ 'retry-after-ms': '1500.2', 'retry-after': '9' }, NOW)).toBe(1_501);
    expect(retryAfter({ 'retry-after': 'soon' }, NOW)).toBeUndefined();
  });

  it('is what happened to the connection, however deep the library wraps it', () => {
    const wrapped = (reason: 'timeout' | 'too_large' | 'reset') =>
      new Error('fetch failed', { cause: new EgressError(reason, 'what happened', { sent: true }) });
    expect(turnFailure('fake', wrapped('timeout'), NOW)).toMatchObject({ code: 'timeout', unanswered: true });
    expect(turnFailure('fake', wrapped('reset'), NOW)).toMatchObject({ code: 'provider_error', permanent: false });
    expect(turnFailure('fake', wrapped('too_large'), NOW)).toMatchObject({ code: 'provider_error', permanent: true });
    expect(turnFailure('fake', { odd: 1 }, NOW)).toMatchObject({ code: 'provider_error' });
  });
});
