import fc from 'fast-check';
import { parseInstant, parseTimestamp } from './timestamp.js';

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
  ])('%j is none', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('comes back as it was written out', () => {
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

  it.each(['2026-01-31', '2026-01-31T08:00', '2026-02-30T08:00Z', '5', 'May 5'])('%j is none', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});
