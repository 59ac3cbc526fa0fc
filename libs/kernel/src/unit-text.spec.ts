import { byteText, hourText } from './unit-text.js';

describe('a number of bytes', () => {
  it.each([
    [52_428_800, '50 MiB'],
    [1_048_576, '1 MiB'],
    [1_572_864, '1536 KiB'],
    [262_144, '256 KiB'],
    [1_000_000, '1000000 bytes'],
    [0, '0 bytes'],
  ])('%i is said as %s', (bytes, text) => {
    expect(byteText(bytes)).toBe(text);
  });
});

describe('a number of hours', () => {
  it.each([
    [3_600_000, '1 hour'],
    [86_400_000, '24 hours'],
  ])('of %i ms is said as %s', (millis, text) => {
    expect(hourText(millis)).toBe(text);
  });
});
