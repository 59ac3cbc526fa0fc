import { FireTimes, neverFires } from './fire-times.js';
import { instantOf, wallTime } from '@app/cel';

const at = (text: string): Date => new Date(text);

/** Returns the next `count` fire times in UTC. */
function firesAfter(cron: string, zone: string, after: string, count: number): string[] {
  const times = new FireTimes(cron, zone);
  const found: string[] = [];
  for (let next = times.next(at(after)); next !== undefined && found.length < count; next = times.next(next)) {
    found.push(next.toISOString().slice(0, 16));
  }
  return found;
}

describe('fire times', () => {
  it.each([
    // 7:00 in Berlin is 6:00 UTC in winter and 5:00 UTC in summer.
    ['0 7 * * 1-5', 'Europe/Berlin', '2026-03-26T12:00Z', ['2026-03-27T06:00', '2026-03-30T05:00']],
    ['0 7 * * *', 'UTC', '2026-03-28T07:00Z', ['2026-03-29T07:00', '2026-03-30T07:00']],
    ['30 9 1 jan *', 'Asia/Kolkata', '2026-01-01T05:00Z', ['2027-01-01T04:00']],
    // If the cron fields restrict the day of month and the day of week, a day that matches either field is a match.
    ['0 0 13 * 5', 'UTC', '2026-02-07T00:00Z', ['2026-02-13T00:00', '2026-02-20T00:00', '2026-02-27T00:00']],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 0 * * 7', 'UTC', '2026-01-01T00:00Z', ['2026-01-04T00:00']],
  ])('%s in %s after %s', (cron, zone, after, expected) => {
    expect(firesAfter(cron, zone, after, expected.length)).toEqual(expected);
  });

  describe('where clocks go forward', () => {
    it.each([
      // Berlin, 29 March 2026: at 01:00 UTC, clocks go forward from 02:00 to 03:00.
      ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
      ['0 3 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T01:00']],
      // The skipped times from 02:00 to 02:45 and the time 03:00 all fire at 03:00, so the schedule fires once.
      ['*/15 2-3 * * *', 'Europe/Berlin', '2026-03-29T00:59Z', ['2026-03-29T01:00', '2026-03-29T01:15']],
      [
        '*/30 * * * *',
        'Europe/Berlin',
        '2026-03-29T00:00Z',
        ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30'],
      ],
      // New York, 8 March 2026: at 07:00 UTC, clocks go forward from 02:00 to 03:00.
      ['15 2 * * *', 'America/New_York', '2026-03-07T12:00Z', ['2026-03-08T07:00', '2026-03-09T06:15']],
      // Lord Howe Island, 4 October 2026: clocks go forward from 02:00 to 02:30, at 15:30 UTC of 3 October.
      ['10 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', ['2026-10-03T15:30', '2026-10-04T15:10']],
      // Samoa skipped the whole 30th of December 2011.
      ['0 12 30 12 *', 'Pacific/Apia', '2011-12-29T00:00Z', ['2011-12-30T10:00']],
    ])('%s in %s after %s', (cron, zone, after, expected) => {
      expect(firesAfter(cron, zone, after, expected.length)).toEqual(expected);
    });
  });

  describe('where clocks go back', () => {
    it.each([
      // Berlin, 25 October 2026: the hour from 02:00 to 03:00 occurs twice, from 00:00 and from 01:00 UTC.
      ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
      ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30Z', ['2026-10-26T01:30']],
      ['30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10Z', ['2026-10-26T01:30']],
      [
        '*/30 2-3 * * *',
        'Europe/Berlin',
        '2026-10-25T00:00Z',
        ['2026-10-25T00:30', '2026-10-25T02:00', '2026-10-25T02:30'],
      ],
      ['0 3 * * *', 'Europe/Berlin', '2026-10-25T00:59Z', ['2026-10-25T02:00', '2026-10-26T02:00']],
      // New York, 1 November 2026: the hour from 01:00 to 02:00 occurs twice, from 05:00 and from 06:00 UTC.
      ['0 1 * * *', 'America/New_York', '2026-10-31T12:00Z', ['2026-11-01T05:00', '2026-11-02T06:00']],
    ])('%s in %s after %s', (cron, zone, after, expected) => {
      expect(firesAfter(cron, zone, after, expected.length)).toEqual(expected);
    });
  });

  it('know the latest that has passed', () => {
    const hourly = new FireTimes('0 * * * *', 'Europe/Berlin');
    const latest = (after: string, until: string) => hourly.latest(at(after), at(until))?.toISOString().slice(0, 16);
    expect(latest('2026-03-01T00:00Z', '2026-03-01T00:59Z')).toBeUndefined();
    expect(latest('2026-03-01T00:00Z', '2026-03-01T01:00Z')).toBe('2026-03-01T01:00');
    expect(latest('2025-03-01T00:00Z', '2026-03-01T10:30Z')).toBe('2026-03-01T10:00');
    // 01:30 UTC is in the second occurrence of the hour, in which the schedule does not fire. The latest fire time is
    // in the first occurrence.
    expect(latest('2026-10-24T00:00Z', '2026-10-25T01:30Z')).toBe('2026-10-25T00:00');
  });

  it('do not exist for days that no year has', () => {
    for (const cron of ['0 0 30 2 *', '0 0 31 2,4,6 *', '0 0 31 4-4 *']) expect(neverFires(cron)).toBeDefined();
    for (const cron of ['0 0 29 2 *', '0 0 30 2 1', '0 0 31 * *', '5/10 * * * *'])
      expect(neverFires(cron)).toBeUndefined();
    expect(new FireTimes('0 0 30 2 *', 'UTC').next(at('2026-01-01T00:00Z'))).toBeUndefined();
  });
});

describe('wall clocks', () => {
  it('show what the zone says, and are found again', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Kiritimati']) {
      for (let hour = 0; hour < 24 * 30; hour += 7) {
        const instant = new Date(Date.UTC(2026, 5, 1, hour, 13, 5));
        expect(instantOf(wallTime(instant, zone), zone)).toEqual(instant);
      }
    }
  });
});
