import {
  DURATION_PATTERN,
  formatDuration,
  hourText,
  parseDuration,
  parseInstant,
  parseTimestamp,
} from './time-text.js';
import fc from 'fast-check';

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

  it.each([
    [0, '0d'],
    [500, '500ms'],
    [1_500, '1500ms'],
    [5_400_000, '90m'],
    [86_400_000, '1d'],
  ])('of %i ms is written as %s', (millis, text) => {
    expect(formatDuration(millis)).toBe(text);
    expect(parseDuration(text)).toBe(millis);
  });

  it.each(['', '5', 's', '-1s', '1.5h', '1 h', '5 min', '1w', '10000d', '999999999d', '999999999h', '1h30m'])(
    '%j is invalid',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
      expect(text).not.toMatch(new RegExp(DURATION_PATTERN));
    },
  );
});

describe('a timestamp', () => {
  it.each([
    ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31t08:00:00.25z', '2026-01-31T08:00:00.250Z'],
    ['2026-01-31T08:00:00.123456789+02:00', '2026-01-31T06:00:00.123Z'],
    ['2024-02-29T23:59:59-11:30', '2024-03-01T11:29:59.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(instant);
  });

  it.each([
    '2026-01-31',
    '2026-01-31 08:00:00Z',
    '2026-01-31T08:00:00',
    '2026-01-31T08:00:00 02:00',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:61:00Z',
    '2026-01-01T00:00:00+25:00',
    'yesterday',
    '1769846400',
    '',
  ])('%j is invalid', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('is the inverse of toISOString', () => {
    const dates = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(fc.property(dates, (date) => parseTimestamp(date.toISOString())?.getTime() === date.getTime()));
  });
});

describe('a time in a definition', () => {
  it.each([
    ['2026-01-31T08:00:30Z', '2026-01-31T08:00:30.000Z'],
    ['2026-01-31T08:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00+02:00', '2026-01-31T06:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseInstant(text)?.toISOString()).toBe(instant);
  });

  it.each(['2026-01-31', '2026-01-31T08:00', '2026-02-30T08:00Z', '5', 'May 5'])('%j is invalid', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe('a number of hours', () => {
  it.each([
    [3_600_000, '1 hour'],
    [86_400_000, '24 hours'],
  ])('of %i ms is written as %s', (millis, text) => {
    expect(hourText(millis)).toBe(text);
  });
});
