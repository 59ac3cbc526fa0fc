import { FORMAT_NAMES, formatNamed } from './formats.js';

/** Values beyond the cases of the JSON Schema Test Suite. */
const VALUES: readonly (readonly [format: string, value: string, isValid: boolean])[] = [
  ['hostname', 'r4---sn-abc.example.com', true],
  ['hostname', 'r4---sn-abc.xn--bcher-kva.example', true],
  ['idn-hostname', 'bücher.example', true],
  ['email', 'joe@localhost', true],
  ['email', 'joe@[x:1]', false],
  ['idn-email', 'jörg@bücher.example', true],
  ['idn-email', 'jörg@[192.0.2.1]', true],
  ['idn-email', 'jörg', false],
  ['time', '23:60:60Z', false],
  ['time', '15:59:60.5-08:00', true],
  ['time', '15:59:60+08:00', false],
  ['date-time', '2026-01-31 08:00:00Z', false],
  ['uri', 'http://[v1.a]/', true],
  ['uri', 'http://a/[v1.a]', false],
  ['byte', 'QUJD', true],
  ['byte', 'QUJD\n!', false],
  ['byte', 'QUJ', false],
];

const TEXT_FORMATS = FORMAT_NAMES.filter((name) => name !== 'url' && formatNamed(name)?.type === 'string');
const LONG_TEXTS = ['', '"', 'a@', 'http://a?', '/'].flatMap((beginning) =>
  ['a', '/a', 'ä'].map((unit) => beginning + unit.repeat(500_000 / unit.length - beginning.length)),
);

describe('formatNamed', () => {
  it.each(VALUES)('%s: %s is valid: %s', (format, value, isValid) => {
    expect(formatNamed(format)?.fits(value)).toBe(isValid);
  });

  it.each(TEXT_FORMATS)('checks long texts, for the format %s', (name) => {
    const results = [...LONG_TEXTS, 'a'.repeat(40_000_000)].map((text) => formatNamed(name)?.fits(text));
    expect(results.at(-1)).toBe(false);
  });
});
