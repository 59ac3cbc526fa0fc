import fc from 'fast-check';
import { blockCounter } from '../../kernel/src/testing/measured-work.js';
import { parseDefinition } from './index.js';
import { STEP_KINDS } from './model/compiled-step.js';
import { LIMITS } from './testing/limits.js';

const KIB = 1024;
const LIMIT = 256 * KIB;
/**
 * Maximum number of JavaScript blocks that a parse may execute (see {@link blockCounter}): ten times the number that
 * any text in {@link CORPUS} needs. Quadratic work on a text of this size would execute billions of blocks.
 */
const MAX_BLOCKS = 50_000_000;

const fill = (part: string, length = LIMIT): string => part.repeat(Math.ceil(length / part.length)).slice(0, length);
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** Texts that make a parser without limits use seconds of CPU time, much memory or the whole stack. */
const CORPUS: Record<string, string> = {
  'an alias bomb': `a: &a [x, x]\n${lines(20, (i) => `b${i}: &b${i} [*a, *a, *a]`)}`,
  'deep flow lists': fill('['),
  'ten thousand flow levels': '['.repeat(10_000),
  'deep flow maps': fill('{a: '),
  'deep block lists': fill('- '),
  'deep block maps': lines(700, (i) => `${' '.repeat(i)}a:`),
  'deep complex keys': fill('? '),
  'balanced deep lists': '['.repeat(LIMIT / 2) + ']'.repeat(LIMIT / 2),
  'sixty thousand keys': lines(60_000, (i) => `k${i}: 1`),
  'keys up to the limit': lines(60_000, (i) => `k${i}: 1`).slice(0, LIMIT),
  'keys just below the limit of values': `name: x\n${lines(5_000, (i) => `key${i}: 1`)}`,
  'equal keys': fill('a: 1\n'),
  'commas': `a: [${fill(',', LIMIT - 10)}`,
  'closing brackets': fill(']}'),
  'broken lines': fill('a\nb: 1\n', 40 * KIB),
  'anchors': fill('&a '),
  'tags': fill('!a '),
  'directives': fill('%a\n'),
  'documents': fill('---\n'),
  'comments': fill('#\n'),
  'blank lines': fill('\n'),
  'a long plain text': `name: ${fill('a ')}`.slice(0, LIMIT),
  'a long quoted text': `name: "${fill('a', LIMIT - 20)}"`,
  'a long folded text': `name: >\n${fill('  x\n   y\n', LIMIT - 20)}`,
  'an open quote': `name: "${fill('a\n', LIMIT - 20)}`,
  'a slow pattern': `name: x\nsteps: [{ id: a, output: 1 }]\ntools: [{ name: t, type: http, base_url: "https://${fill('a', 200 * KIB)} ", operations: [] }]`,
  'steps of no kind': `name: x\nsteps:\n${lines(1_200, (i) => `- { id: s${i}, tol: a.b }`)}`,
  'steps without any key': JSON.stringify({ name: 'x', steps: Array.from({ length: 9_900 }, () => ({})) }),
  'steps of every kind at once': JSON.stringify({ name: 'x', steps: Array.from({ length: 550 }, () => Object.fromEntries(STEP_KINDS.map((kind) => [kind, {}]))) }),
  'ten thousand steps': `name: x\nsteps:\n${lines(10_000, (i) => `- { id: s${i}, output: 1 }`)}`.slice(0, LIMIT),
  'ten thousand steps in JSON': JSON.stringify({ name: 'x', steps: Array.from({ length: 10_000 }, (_, i) => ({ id: `s${i}`, fail: 'n' })) }).slice(0, LIMIT),
  'a hundred thousand allowed values': `name: x\ninput: { enum: [${fill('1,', 200_000)}1] }\nsteps: [{ id: a, output: 1 }]`,
  'as many allowed values as a document may have': `name: x\ninput: { enum: [${lines(9_900, (i) => `${i},`)}0] }\nsteps: [{ id: a, output: 1 }]`,
  'many templates': `name: x\nsteps:\n- id: a\n  let:\n${lines(4_000, (i) => `    v${i}: "\${{ input.x }}"`)}`,
  'a thousand templates': `name: x\nsteps:\n- id: a\n  let:\n${lines(1_000, (i) => `    v${i}: "\${{ input.x }}"`)}`,
  'one megabyte': fill('a', 1024 * KIB),
}; // prettier-ignore

const executedBlocks = blockCounter();

describe('hostile text', () => {
  it.each(Object.keys(CORPUS))('%s is parsed with little work', (name) => {
    const text = CORPUS[name] ?? '';
    for (const format of ['yaml', 'json'] as const) {
      const results: ReturnType<typeof parseDefinition>[] = [];
      expect(executedBlocks(() => results.push(parseDefinition(text, format, LIMITS)))).toBeLessThan(MAX_BLOCKS);
      const [parsed] = results;
      if (parsed?.ok === false && parsed.code !== 'payload_too_large') expect(parsed.errors[0]).toHaveProperty('line');
    }
  });

  it.each([
    '[',
    '{a: ',
    '- ',
    '? ',
    '{"a":[',
    'a: 1\n',
    '&a ',
    '#\n',
    ',',
    'a ',
    `- ${'['.repeat(127)}${']'.repeat(127)}\n`,
  ])('that repeats %j up to the largest allowed size is parsed with little work', (part) => {
    const most = { bytes: 1024 * KIB, depth: 128, runSteps: 1_000 };
    const text = fill(part, most.bytes);
    for (const format of ['yaml', 'json'] as const)
      expect(executedBlocks(() => parseDefinition(text, format, most))).toBeLessThan(MAX_BLOCKS);
  });

  it('with more bytes than allowed is too large for any characters', () => {
    const code = (text: string) => {
      const parsed = parseDefinition(text, 'yaml', LIMITS);
      return parsed.ok ? 'ok' : parsed.code;
    };
    expect(code('a'.repeat(LIMIT + 1))).toBe('payload_too_large');
    expect(code('ü'.repeat(LIMIT / 2 + 1))).toBe('payload_too_large');
    expect(code('ü'.repeat(LIMIT / 2))).toBe('definition_invalid');
  });

  it.each([
    ['an anchor', 'name: &a x', 'yaml', '', 1, 7],
    ['an alias', 'a: 1\nname: *a', 'yaml', '', 2, 7],
    ['a tag', 'name: !!str x', 'yaml', '', 1, 7],
    ['a merge key', 'a: { <<: { b: 1 } }', 'yaml', '/a', 1, 6],
    ['a second document', 'name: x\n---\nname: y', 'yaml', '', 2, 1],
    ['a duplicate key', 'name: x\nb:\n  c: 1\n  c: 2', 'yaml', '/b/c', 4, 3],
    ['a duplicate key in JSON', '{"a": {"b": 1,\n "b": 2}}', 'json', '/a/b', 2, 2],
    ['a tab', 'a:\n\t- b', 'yaml', '', 2, 1],
    ['a wrong indentation', 'a:\n    b: 1\n  c: 2', 'yaml', '', 3, 1],
    ['a prototype key', 'a: { __proto__: { b: 1 } }', 'yaml', '/a/__proto__', 1, 6],
    ['a prototype key in JSON', '{"constructor": 1}', 'json', '/constructor', 1, 2],
    ['an escaped prototype key', '{"__pro\\u0074o__": 1}', 'json', '/__proto__', 1, 2],
    ['NUL', 'name: "a\0"', 'yaml', '', 1, 9],
    ['an escaped NUL', 'name: "a\\0"', 'yaml', '/name', 1, 7],
    ['an escaped NUL in JSON', '{"name": "\\u0000"}', 'json', '/name', 1, 10],
    ['half a surrogate pair', 'name: x\na: "\\ud800"', 'yaml', '/a', 2, 4],
    ['half a surrogate pair in JSON', '{"a": ["\\ud83d"]}', 'json', '/a/0', 1, 8],
    ['a number beyond JSON', 'a: .inf', 'yaml', '/a', 1, 4],
    ['a trailing comma in JSON', '{"name": "x",\n}', 'json', '', 1, 13],
    ['a comment in JSON', '{"name": "x"} // y', 'json', '', 1, 15],
    ['single quotes in JSON', "{'name': 1}", 'json', '', 1, 2],
    ['a leading zero in JSON', '{"a": 01}', 'json', '', 1, 8],
    ['YAML in JSON', 'name: x', 'json', '', 1, 1],
    ['nothing', '', 'yaml', '', 1, 1],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), 'json', '/0'.repeat(32), 1, 33],
    ['33 levels in YAML', '['.repeat(33) + ']'.repeat(33), 'yaml', '/0'.repeat(32), 1, 33],
  ] as const)('with %s is rejected with its place', (_what, text, format, pointer, line, column) => {
    const parsed = parseDefinition(text, format, LIMITS);
    expect(parsed).toMatchObject({ ok: false, code: `invalid_${format}`, errors: [{ pointer, line, column }] });
  });

  it('does not pollute prototypes', () => {
    for (const format of ['yaml', 'json'] as const)
      parseDefinition('{"__proto__": {"polluted": 1}, "name": "x"}', format, LIMITS);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('from a random generator never throws and takes little work', () => {
    const fragment = fc.constantFrom(
      'name: x', 'steps:', '- ', '{', '}', '[', ']', ': ', ',', '\n', '  ', '"', "'", '|', '>', '&a', '*a', '!t', '---', '#', '?',
      '${{', '}}', 'input.x', 'tool', 'id', 'a.b', '1', 'null', '\t', '\u{1F600}', '\u2028', '\\',
    ); // prettier-ignore
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2_000 }),
      fc.array(fragment, { maxLength: 200 }).map((parts) => parts.join('')),
    );
    const property = fc.property(text, fc.constantFrom('yaml' as const, 'json' as const), (any, format) => {
      parseDefinition(any, format, LIMITS);
    });
    expect(executedBlocks(() => fc.assert(property, { numRuns: 1_000 }))).toBeLessThan(10 * MAX_BLOCKS);
  });

  it('that is well-formed but not a definition never throws', () => {
    const key = fc.constantFrom(
      'name',
      'steps',
      'tools',
      'id',
      'tool',
      'switch',
      'when',
      'model',
      'input',
      'type',
      'x-a',
      'limits',
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, fc.constantFrom('x', 'http', 1, true, null, '${{ 1 }}'), tie('list'), tie('object')),
      list: fc.array(tie('any'), { maxLength: 4 }),
      object: fc.dictionary(key, tie('any'), { maxKeys: 6 }),
    })); // prettier-ignore
    fc.assert(
      fc.property(value.object, (definition) => {
        parseDefinition(JSON.stringify(definition), 'json', LIMITS);
      }),
      { numRuns: 500 },
    );
  });
});
