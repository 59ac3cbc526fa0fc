import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parse, parseDocument, stringify } from 'yaml';
import { SourceError } from './source-document.js';
import { readYaml } from './yaml-reader.js';

const EXAMPLES = 'test/fixtures/agents';
const examples = readdirSync(EXAMPLES).map((name) => readFileSync(`${EXAMPLES}/${name}`, 'utf8'));

/** YAML constructs that the examples do not contain, one in each text. */
const CONSTRUCTS = [
  'a: >\n  x\n  y\n\n    z\n\n  w\nb: |-\n  x: {y}\n   # no\n\n\n# c\nc: |+\n\n\nd: >-\n  f\n',
  "k: \"a\\\n  b\\tc \\u00e9\n\n  d\"\nl: [\"x\": 1, 'y' : 2]\nm: 'b''c\n\n  d'\n",
  'a: "b\\\n\n  c"',
  '- a\n-\n  b: c\n- - d\n  - e\n-   f:\n    - g\n    -\n',
  'a: x\n  y\n  z # c\nb:\n  c\n  d\ne:\n- f\n- g: h\n  i: j\n',
  '{a: b, c: , "d": [e, {f: g}],}',
  'a: {b: [c, {d: e}],\n  f: g\n  h\n }\ni: j',
  '"a b": 1\n\'c\': 2\nd e: f:g\nh: -i\nj: ?k\nl: a#b\nm: :x\n? n\n: o\n? [p]\n: q\n',
  'a: 0x1F\nb: 0o17\nc: 017\nd: .5\ne: +1.\nf: 1e3\ng: -0\nh: ~\ni: Null\nj: yes\nk: .inf\nl: 1_000\nm: 2026-11-22\nn: TRUE\no: 12345678901234567890\n',
  'a: |+\n  b\n\n ',
  'a: {b: c,\n# d\n }\ne:\n#f\n\n  g',
  'a: |+1\n  ',
  'a: |2\n   b\n  c\nd: >1-\n  e\n',
  '&a b: *a\n<<: {c: d}\n!!str e: !f g\n__proto__: h\nb: i\n',
  '%YAML 1.2\n---\na: b\n...\n---\nc: d\n',
  `${Array.from({ length: 31 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')}\n${' '.repeat(31)}- b`,
  `${'['.repeat(31)}{a: b}${']'.repeat(31)}`,
];
const DEPTH = 32;
const MARKS = [
  ...':-?[]{},#&*!|>\'"%@`\\~ \n\t\r1a'.split(''),
  ...[': ', '- ', ' #', '\n\n', '\n  ', '\n- ', '\r\n', '---', '...', '<<', '0x', '\\u', '\\0', '\\xd8', '\u2028', '\ufeff', '\x85', 'é', '\ud83d'],
]; // prettier-ignore

function valueOf(text: string): unknown {
  try {
    return readYaml(text, DEPTH).value;
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

/** Asserts that every position of a document lies inside its text. */
function expectPlacesInside(text: string): void {
  const value = valueOf(text);
  if (value === undefined) return;
  const { start, end } = readYaml(text, DEPTH).root;
  expect(start).toBeGreaterThanOrEqual(0);
  expect(end).toBeLessThanOrEqual(text.length);
}

/** Generates a part of an example in which some characters are replaced by characters that have a meaning in YAML. */
const brokenText = fc
  .record({
    seed: fc.constantFrom(...examples, ...CONSTRUCTS, ...CONSTRUCTS),
    from: fc.nat(2_000),
    length: fc.integer({ min: 1, max: 400 }),
    edits: fc.array(fc.tuple(fc.nat(400), fc.nat(2), fc.constantFrom(...MARKS)), { maxLength: 4 }),
  })
  .map(({ seed, from, length, edits }) => {
    const start = from % seed.length;
    // The part starts at the beginning of a line, so that it is more often valid YAML.
    let text = seed.slice(seed.lastIndexOf('\n', start) + 1, start + length);
    for (const [place, removed, mark] of edits) {
      const at = place % (text.length + 1);
      text = text.slice(0, at) + mark + text.slice(at + removed);
    }
    return text;
  });

const STRING_TYPES = ['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'] as const;

const writtenValue = fc
  .tuple(
    fc.jsonValue({ maxDepth: 4 }),
    fc.record({
      indent: fc.integer({ min: 1, max: 5 }),
      indentSeq: fc.boolean(),
      lineWidth: fc.constantFrom(0, 20, 80),
      collectionStyle: fc.constantFrom<'any' | 'block' | 'flow'>('any', 'block', 'flow'),
      defaultStringType: fc.constantFrom(...STRING_TYPES),
    }),
  )
  .map(([value, options]) => ({ value, text: stringify(value, options) }));

describe('readYaml', () => {
  it('reads the examples as the library does', () => {
    for (const text of examples) expect(readYaml(text, DEPTH).value).toStrictEqual(parse(text));
  });

  it('reads the value that was written, or rejects the text', () => {
    const expectWritten = ({ value, text }: { value: unknown; text: string }): void => {
      // The YAML library can write some texts that it cannot parse, such as `- "":` with `[]` on the next line.
      fc.pre(parseDocument(text).errors.length === 0);
      const read = valueOf(text);
      if (read !== undefined) expect(read).toEqual(parse(text));
      // The reader rejects keys that could reach a prototype, control characters and merge keys.
      else expect(JSON.stringify(value)).toMatch(/__proto__|constructor|prototype|\\u|[\x7f-\x9f]|<</);
    };
    fc.assert(fc.property(writtenValue, expectWritten), { numRuns: 300 });
  });

  it('rejects a broken text with the place of the mistake and throws no other error', () => {
    for (const text of CONSTRUCTS) expectPlacesInside(text);
    fc.assert(fc.property(brokenText, expectPlacesInside), { numRuns: 1_500 });
  });

  it.each([
    ['values', `a: [${'1,'.repeat(9_998)}1]`, `a: [${'1,'.repeat(9_990)}1]`],
    ['comments', '#\n'.repeat(30_000) + 'a: 1', '#\n'.repeat(3_000) + 'a: 1'],
    ['blank lines', 'a: 1\n' + ' \n'.repeat(60_000), 'a: 1\n' + ' \n'.repeat(3_000)],
    ['brackets', `[${'[], '.repeat(10_000)}]`, `[${'[], '.repeat(900)}]`],
    ['levels', `${'['.repeat(33)}${']'.repeat(33)}`, `${'['.repeat(32)}${']'.repeat(32)}`],
    ['keys of one name', 'a: 1\n'.repeat(2), 'a: 1\n'],
    ['version lines', '%YAML 1.2\n%YAML 1.2\n---\na: 1\n', '%YAML 1.2\n---\na: 1\n'],
  ])('rejects too many %s', (_, tooMany, allowed) => {
    expect(() => readYaml(tooMany, DEPTH)).toThrow(SourceError);
    expect(valueOf(allowed)).toBeDefined();
  });
});
