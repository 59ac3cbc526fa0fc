import fc from 'fast-check';

/**
 * Strings that often cause errors in services. They contain NUL, half of a surrogate pair, SQL, paths, names of
 * prototypes, extreme numbers, and formats that are almost valid.
 */
const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u0007',
  '\r\nX-Injected: 1',
  `'; drop table runs; --`,
  `' or 1=1`,
  '%',
  '%00',
  '..%2f..%2fetc%2fpasswd',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '${{ secrets.TOKEN }}',
  '{{7*7}}',
  'null',
  'NaN',
  '-1',
  '0',
  '1e309',
  '9223372036854775808',
  '99999999999999999999999999',
  '2026-02-30T25:61:00Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-01-01T00:00:00Z',
  'run_zzzzzzzzzzzzzzzzzzzzzzzzzz',
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
  '😀'.repeat(300),
  'x'.repeat(5_000),
];

const nested = (depth: number): unknown => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 1);

const HOSTILE_JSON: readonly unknown[] = [
  ...HOSTILE_TEXTS,
  null,
  true,
  -1,
  0,
  0.1,
  1e308,
  2 ** 53,
  -(2 ** 63),
  [],
  {},
  [null],
  [[]],
  nested(31),
  nested(200),
  JSON.parse('{"__proto__": {"polluted": true}}'),
  { constructor: { prototype: { polluted: true } } },
  { toString: 1, length: -1 },
  Array.from({ length: 2_000 }, (_, n) => n),
  Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key${n}`, n])),
];

/** Request bodies that are invalid JSON, or valid JSON with unusual content. */
const BROKEN_BODIES: readonly string[] = [
  '',
  '{',
  '[1,]',
  '{"a":1,"a":2}',
  '{"a":NaN}',
  '\ufeff{}',
  '"\\ud800"',
  '"\\u0000"',
  '{"name":"\\u0000"}',
  '1e999',
  '['.repeat(20_000),
  '{"a":'.repeat(5_000),
  'a: &a [*a, *a]',
  'x'.repeat(100_000),
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_JSON) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);
export const brokenBody: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...BROKEN_BODIES),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
