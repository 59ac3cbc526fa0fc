import { DURATION_PATTERN, parseDuration } from './duration.js';

describe('a duration', () => {
  it.each([
    ['0s', 0],
    ['500ms', 500],
    ['20s', 20_000],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['30d', 2_592_000_000],
    ['9999d', 863_913_600_000],
  ])('%s is %i ms', (text, millis) => {
    expect(parseDuration(text)).toBe(millis);
    expect(text).toMatch(new RegExp(DURATION_PATTERN));
  });

  it.each(['', '5', 's', '-1s', '1.5h', '1 h', '5 min', '1w', '10000d', '999999999d', '999999999h', '1h30m'])(
    '%j is none',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
      expect(text).not.toMatch(new RegExp(DURATION_PATTERN));
    },
  );
});
