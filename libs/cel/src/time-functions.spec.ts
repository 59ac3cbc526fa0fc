import { jest } from '@jest/globals';
import type { JsonValue } from '@app/kernel';
import { evaluated, failureOf } from './testing/evaluating.js';

describe('times', () => {
  it.each<[string, JsonValue]>([
    ['string(timestamp("2026-03-09T13:05:00.5Z"))', '2026-03-09T13:05:00.5Z'],
    ['string(timestamp("2026-03-09T13:05:00Z"))', '2026-03-09T13:05:00Z'],
    ['string(timestamp("2026-03-09T13:05:10.123Z"))', '2026-03-09T13:05:10.123Z'],
    ['string(duration("1500ms"))', '1.5s'],
    ['string(duration("-1500ms"))', '-1.5s'],
    ['string(duration("1h"))', '3600s'],
    ['string(duration("1d12h"))', '129600s'],
    ['string(duration("1.5d"))', '129600s'],
    ['string(duration("0"))', '0s'],
    ['string(timestamp("2026-03-09T00:00:00Z") + duration("2d"))', '2026-03-11T00:00:00Z'],
    ['string(duration("1ns"))', '0.000000001s'],
    ['time.format(timestamp("2026-03-09T13:05:07.08Z"), "yyyy-MM-dd HH:mm:ss.SSS")', '2026-03-09 13:05:07.080'],
    ['time.format("2026-03-09T13:05:00Z", "EEEE, d MMMM yyyy")', 'Monday, 9 March 2026'],
    ['time.format("2026-03-09T13:05:00Z", "EEE d MMM yy")', 'Mon 9 Mar 26'],
    ['time.format("2026-03-09T13:05:00Z", "h:mm a")', '1:05 PM'],
    ['time.format("2026-03-09T00:05:00Z", "hh:mm a")', '12:05 AM'],
    [`time.format("2026-03-09T13:05:00Z", "H 'o''clock' ''")`, "13 o'clock '"],
    ['time.format("2026-03-09T13:05:00Z", "M/d/yyyy HH:mm XXX", "Europe/Berlin")', '3/9/2026 14:05 +01:00'],
    ['time.format("2026-07-09T13:05:00Z", "HH:mm xx", "Europe/Berlin")', '15:05 +0200'],
    ['time.format("2026-07-09T13:05:00Z", "XXX xx")', 'Z +0000'],
    ['time.format("2026-01-09T13:05:00Z", "XXX", "America/St_Johns")', '-03:30'],
    ['time.format("2026-03-09T23:05:00-05:00", "yyyy-MM-dd")', '2026-03-10'],
    ['time.format("0099-03-09T13:05:00Z", "yyyy")', '0099'],
    ['time.parse("09.03.2026", "dd.MM.yyyy")', '2026-03-09T00:00:00.000Z'],
    ['time.parse("09.03.2026 14:05", "dd.MM.yyyy HH:mm", "Europe/Berlin")', '2026-03-09T13:05:00.000Z'],
    ['time.parse("2026-03-09 14:05 +02:00", "yyyy-MM-dd HH:mm XXX", "America/New_York")', '2026-03-09T12:05:00.000Z'],
    ['time.parse("2026-03-09Z", "yyyy-MM-ddXXX", "America/New_York")', '2026-03-09T00:00:00.000Z'],
    ['time.parse("Mar 9, 2026 1:05 pm", "MMM d, yyyy h:mm a")', '2026-03-09T13:05:00.000Z'],
    ['time.parse("Monday, 9 March 26", "EEEE, d MMMM yy")', '2026-03-09T00:00:00.000Z'],
    ['time.parse("12:30 AM 2026", "h:mm a yyyy")', '2026-01-01T00:30:00.000Z'],
    ['time.parse("0099-01-02", "yyyy-MM-dd")', '0099-01-02T00:00:00.000Z'],
    ['time.parse("2026-03-29 02:30", "yyyy-MM-dd HH:mm", "Europe/Berlin")', '2026-03-29T01:00:00.000Z'],
    ['time.parse("2026-10-25 02:30", "yyyy-MM-dd HH:mm", "Europe/Berlin")', '2026-10-25T00:30:00.000Z'],
    ['time.parse("12:00:00.250", "HH:mm:ss.SSS")', '1970-01-01T12:00:00.250Z'],
    ['time.parse("2028-02-29", "yyyy-MM-dd") > timestamp("2026-01-01T00:00:00Z")', true],
  ])('%s', (source, expected) => {
    expect(evaluated(source)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['duration("1x")', 'failed'],
    ['duration("")', 'failed'],
    ['duration("d")', 'failed'],
    ['duration("1d 12h")', 'failed'],
    ['duration("9999999999h")', 'failed'],
    ['time.format("2026-03-09", "yyyy")', 'failed'],
    ['time.format("2026-02-30T00:00:00Z", "yyyy")', 'failed'],
    ['time.format("2026-03-09T13:05:00Z", "YYYY")', 'syntax'],
    ['time.format("2026-03-09T13:05:00Z", "yyyy-mmm")', 'syntax'],
    ['time.format("2026-03-09T13:05:00Z", "\'open")', 'syntax'],
    ['time.format("2026-03-09T13:05:00Z", input.pattern)', 'failed'],
    ['time.format("2026-03-09T13:05:00Z", "HH", "Mars/Base")', 'syntax'],
    ['time.format("2026-03-09T13:05:00Z", "HH", "+2:00")', 'syntax'],
    ['time.format("2026-03-09T13:05:00Z", "HH", "+24:00")', 'syntax'],
    ['timestamp("2026-03-09T13:05:00Z").getHours("Mars/Base")', 'syntax'],
    ['timestamp("2026-03-09T13:05:00Z").getHours(input.zone)', 'failed'],
    ['timestamp("2026-02-30T13:05:00Z")', 'failed'],
    ['timestamp("yesterday, in the afternoon")', 'failed'],
    ['timestamp(1767225600000)', 'failed'],
    ['time.format("2026-03-09T13:05:00Z", "HH", input.zone)', 'failed'],
    ['time.parse("30.02.2026", "dd.MM.yyyy")', 'failed'],
    ['time.parse("9.3.2026", "dd.MM.yyyy")', 'failed'],
    ['time.parse("09.03.2026 ", "dd.MM.yyyy")', 'failed'],
    ['time.parse("09.03.2026 24:00", "dd.MM.yyyy HH:mm")', 'failed'],
    ['time.parse("Tue 09.03.2026", "EEE dd.MM.yyyy")', 'failed'],
    ['time.parse("9 10", "d dd")', 'failed'],
    ['time.parse("13:00 PM", "hh:mm a")', 'failed'],
    ['time.parse("", "yyyy")', 'failed'],
    ['time.parse("2026", "yyyy", input.zone)', 'failed'],
  ])('%s fails with %s', (source, code) => {
    expect(failureOf(source, { pattern: 'Q', zone: 'Nowhere' }).code).toBe(code);
  });
});

describe('number.format', () => {
  it.each<[string, string]>([
    ['number.format(1234.5, "#,##0.00")', '1,234.50'],
    ['number.format(1234.5, "#,##0.00", "de-DE")', '1.234,50'],
    ['number.format(1234567.0, "#,##0", "fr-FR")', '1\u202f234\u202f567'],
    ['number.format(1234567, "#,##,##0")', '12,34,567'],
    ['number.format(2.5, "0")', '3'],
    ['number.format(-2.5, "0")', '-3'],
    ['number.format(1.005, "0.00")', '1.01'],
    ['number.format(0.125, "0.0%")', '12.5%'],
    ['number.format(0.07, "0%")', '7%'],
    ['number.format(0.5, "#.##")', '.5'],
    ['number.format(0.0, "#.##")', '0'],
    ['number.format(1.5, "0.0##")', '1.5'],
    ['number.format(7, "000")', '007'],
    ['number.format(-0.001, "0.00")', '0.00'],
    ['number.format(1e21, "#,##0")', '1,000,000,000,000,000,000,000'],
    ['number.format(5e-324, "0.00")', '0.00'],
    ['number.format(12.0, "0", "ar-EG")', '١٢'],
    ['number.format(-5.0, "0.0", "de")', '-5,0'],
    ['number.format(input.n, "0.00")', '2.00'],
  ])('%s', (source, expected) => {
    expect(evaluated(source, { n: 2 })).toBe(expected);
  });

  it.each<[string, string]>([
    ['number.format(1.0, "")', 'syntax'],
    ['number.format(1.0, "0.0 EUR")', 'syntax'],
    ['number.format(1.0, "0,")', 'syntax'],
    ['number.format(1.0, "0", "english")', 'syntax'],
    ['number.format(1.0, "0", "de_DE")', 'syntax'],
    ['number.format(1.0, input.pattern)', 'failed'],
    ['number.format(1.0, "0", input.pattern)', 'failed'],
    ['number.format(1.0 / 0.0, "0")', 'failed'],
    ['number.format("1", "0")', 'type'],
  ])('%s fails with %s', (source, code) => {
    expect(failureOf(source, { pattern: 'x_y' }).code).toBe(code);
  });
});

describe('the parts of a timestamp', () => {
  const LOCAL = [
    'getFullYear',
    'getMonth',
    'getDate',
    'getDay',
    'getHours',
    'getMinutes',
    'getTimezoneOffset',
  ] as const;
  const readsHost = (): never => {
    throw new Error('The time zone of the host must not be read.');
  };

  beforeEach(() => {
    for (const name of LOCAL) jest.spyOn(Date.prototype, name).mockImplementation(readsHost);
    jest.spyOn(Date.prototype, 'toLocaleString').mockImplementation(readsHost);
  });
  afterEach(() => jest.restoreAllMocks());

  it('do not depend on the zone of the host', () => {
    const parts = (time: string, argument: string): JsonValue =>
      evaluated(
        `[${['getFullYear', 'getMonth', 'getDate', 'getDayOfYear', 'getDayOfWeek', 'getHours', 'getMinutes']
          .map((name) => `timestamp("${time}").${name}(${argument})`)
          .join(', ')}]`,
      );
    expect(parts('2026-03-29T06:30:00Z', '"America/New_York"')).toEqual([2026, 2, 29, 87, 0, 2, 30]);
    expect(parts('2026-07-01T00:30:00Z', '"UTC"')).toEqual([2026, 6, 1, 181, 3, 0, 30]);
    expect(parts('2026-07-01T00:30:00Z', '')).toEqual([2026, 6, 1, 181, 3, 0, 30]);
    expect(parts('2026-06-01T22:30:00Z', '"Europe/Berlin"')).toEqual([2026, 5, 2, 152, 2, 0, 30]);
    expect(parts('0050-06-01T12:00:00Z', '"Asia/Tokyo"')).toEqual([50, 5, 1, 151, 3, 21, 18]);
    expect(parts('2026-01-01T00:10:00Z', '"+02:00"')).toEqual([2026, 0, 1, 0, 4, 2, 10]);
    expect(parts('2026-01-01T00:10:00Z', '"02:00"')).toEqual([2026, 0, 1, 0, 4, 2, 10]);
    expect(parts('2026-01-01T00:10:00Z', '"-02:30"')).toEqual([2025, 11, 31, 364, 3, 21, 40]);
    expect(evaluated('timestamp("2026-07-01T00:30:00.000")')).toBe('2026-07-01T00:30:00.000Z');
    expect(evaluated('time.format("2026-07-01T00:30:00Z", "yyyy-MM-dd HH:mm xx", "+02:00")')).toBe(
      evaluated('time.format("2026-07-01T00:30:00Z", "yyyy-MM-dd HH:mm xx", "02:00")'),
    );
    expect(evaluated('time.parse("2026-07-01 02:30", "yyyy-MM-dd HH:mm", "+02:00")')).toBe('2026-07-01T00:30:00.000Z');
  });

  it('agree with the calendar of the zone on each day of a year', () => {
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'America/New_York',
      hour: '2-digit',
      hourCycle: 'h23',
      day: '2-digit',
    });
    const hours = Array.from({ length: 365 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day, (day * 5) % 24, 30)));
    for (const instant of hours) {
      const parts = new Map(clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
      const when = `timestamp(input.when)`;
      expect(
        evaluated(`[${when}.getHours("America/New_York"), ${when}.getDate("America/New_York")]`, {
          when: instant.toISOString(),
        }),
      ).toEqual([parts.get('hour'), parts.get('day')]);
    }
  });
});
