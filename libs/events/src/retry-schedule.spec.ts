import { Config } from '@app/platform/config';
import { nextAttemptIn, parseRetryAfter } from './retry-schedule.js';
import { webhooksConfig } from './webhooks.config.js';

const HOUR = 3_600_000;
const SCHEDULE = Config.load([webhooksConfig], {}).get(webhooksConfig).webhookRetryMillis;

describe('the retry schedule', () => {
  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after the attempts, and then gives up', () => {
    const waits = SCHEDULE.map((_, index) => nextAttemptIn({ attempts: index + 1, random: 0.5 }, SCHEDULE));
    expect(waits).toEqual([
      5_000,
      300_000,
      HOUR / 2,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      24 * HOUR,
      undefined,
    ]);
  });

  it('spreads each wait by a fifth either way', () => {
    expect(nextAttemptIn({ attempts: 1, random: 0 }, SCHEDULE)).toBe(4_000);
    expect(nextAttemptIn({ attempts: 1, random: 1 }, SCHEDULE)).toBe(6_000);
  });

  it('waits as long as the receiver asks for, up to a day, and never shorter than planned', () => {
    expect(nextAttemptIn({ attempts: 1, random: 0.5, retryAfterMs: 60_000 }, SCHEDULE)).toBe(60_000);
    expect(nextAttemptIn({ attempts: 1, random: 0.5, retryAfterMs: 1_000 }, SCHEDULE)).toBe(5_000);
    expect(nextAttemptIn({ attempts: 1, random: 0.5, retryAfterMs: 1_000 * HOUR }, SCHEDULE)).toBe(24 * HOUR);
  });

  it('gives up when it is over, whatever the receiver asks for', () => {
    expect(nextAttemptIn({ attempts: 10, random: 0.5, retryAfterMs: 1_000 }, SCHEDULE)).toBeUndefined();
    expect(nextAttemptIn({ attempts: 11, random: 0.5 }, SCHEDULE)).toBeUndefined();
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-01-31T08:00:00Z');

  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sat, 31 Jan 2026 08:01:00 GMT', 60_000],
    ['Sat, 31 Jan 2026 07:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1e9', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (field, millis) => {
    expect(parseRetryAfter(field, now)).toBe(millis);
  });
});
