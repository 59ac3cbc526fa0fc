import { MAX_TIMER_MILLIS, systemClock } from './clock.js';

describe('systemClock', () => {
  it.each([MAX_TIMER_MILLIS, MAX_TIMER_MILLIS + 1, 30 * 86_400_000])(
    'sleeps %i ms, even if that is longer than setTimeout allows',
    async (millis) => {
      const over = new AbortController();
      const long = systemClock.sleep(millis, over.signal).then(() => 'long');
      const short = systemClock.sleep(20).then(() => 'short');
      expect(await Promise.race([long, short])).toBe('short');
      over.abort();
      expect(await long).toBe('long');
    },
  );
});
