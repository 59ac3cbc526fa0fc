import { cronText } from './cron-text.js';

describe('a cron expression in words', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['0 * * * *', 'Every hour'],
    ['5 */6 * * *', 'Every 6 hours at minute 5'],
    ['0 9 * * *', 'Every day at 9:00'],
    ['30 9,12,17 * * *', 'Every day at 9:30, 12:30 and 17:30'],
    ['0 9 * * 1-5', 'Every weekday at 9:00'],
    ['0 9 * * MON-FRI', 'Every weekday at 9:00'],
    ['5 07 * * mon,4', 'Every Monday and Thursday at 7:05'],
    ['0 6 1 * *', 'On day 1 of each month at 6:00'],
  ])('says of %s: %s', (cron, text) => {
    expect(cronText(cron)).toBe(text);
  });

  it.each(['*/7 * * * *', '0 9 1 1 *', '0 9 1 * 1', '0 9 * * 1#2', '0 9 L * *', '* 9 * * *', '0 0 9 * * *', '@daily'])(
    'says nothing of %s',
    (cron) => {
      expect(cronText(cron)).toBeUndefined();
    },
  );
});
