import { OutageLog } from './outage-log.js';

describe('an outage log', () => {
  const anOutage = () => {
    const levels: string[] = [];
    let now = 0;
    const log = new OutageLog(
      { warn: () => void levels.push('warn'), debug: () => void levels.push('debug') },
      'away',
      { monotonicMillis: () => now },
    );
    return { levels, failAt: (time: number) => ((now = time), log.failed(new Error('refused'))) };
  };

  it('warns of the first failure and whispers the rest', () => {
    const { levels, failAt } = anOutage();
    for (const time of [0, 1, 30_000, 89_000]) failAt(time);
    expect(levels).toEqual(['warn', 'debug', 'debug', 'debug']);
  });

  it('warns again when failures return after a quiet minute', () => {
    const { levels, failAt } = anOutage();
    for (const time of [0, 60_001]) failAt(time);
    expect(levels).toEqual(['warn', 'warn']);
  });
});
