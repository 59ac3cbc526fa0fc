import { byteText } from './amount-text.js';

describe('a number of bytes', () => {
  it.each([
    [52_428_800, '50 MiB'],
    [1_048_576, '1 MiB'],
    [1_572_864, '1536 KiB'],
    [262_144, '256 KiB'],
    [1_000_000, '1000000 bytes'],
    [0, '0 bytes'],
  ])('%i is written as %s', (bytes, text) => {
    expect(byteText(bytes)).toBe(text);
  });
});
