import { WatchPace } from './watch-pace.js';

describe('the pace of reads for those who wait for runs', () => {
  it('slows down to four a second, and starts again with somebody new', () => {
    const pace = new WatchPace();
    expect(Array.from({ length: 7 }, () => pace.nextPause())).toEqual([10, 20, 40, 80, 160, 250, 250]);
    pace.restart();
    expect([pace.nextPause(), pace.nextPause()]).toEqual([10, 20]);
  });
});
