import fc from 'fast-check';
import { canonicalJson, findUnsafeJson, jsonPointer, type JsonValue, MAX_JSON_VALUES, storableJson } from './json.js';

describe('canonical JSON', () => {
  it('does not depend on the order of members', () => {
    expect(canonicalJson({ b: 1, a: [true, { d: null, c: 'x' }] })).toBe('{"a":[true,{"c":"x","d":null}],"b":1}');
  });

  it('reads back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
      }),
    );
  });
});

describe('a JSON pointer', () => {
  it('escapes the separators in its parts', () => {
    expect(jsonPointer([])).toBe('');
    expect(jsonPointer(['a/b', 0, 'm~n'])).toBe('/a~1b/0/m~0n');
  });
});

describe('unsafe JSON', () => {
  it.each([
    ['{"a":{"b":"x\\u0000y"}}', '/a/b'],
    ['["fine","half \\ud800 pair"]', '/1'],
    ['{"a":{"\\udc00":1}}', '/a'],
    ['{"a":[1e308,-1e400]}', '/a/1'],
    ['[0,[[[[1]]]]]', '/1/0/0/0'],
  ])('is found: %s', (text, pointer) => {
    expect(findUnsafeJson(JSON.parse(text), 4)).toMatchObject({ pointer });
  });

  it.each([
    '{"a":[[1]],"b":"😀 \\ud83d\\ude00 é"}',
    '"text"',
    'null',
    '{"__proto__":{"constructor":{"prototype":1}}}',
    JSON.stringify(Array.from({ length: 20_000 }, () => 0)),
    `${'['.repeat(200)}${']'.repeat(200)}`,
  ])('is not found in: %.60s', (text) => {
    expect(findUnsafeJson(JSON.parse(text))).toBeUndefined();
  });
});

describe('the number of items and members', () => {
  const list = (length: number): number[] => new Array<number>(length).fill(0);

  it('is limited, at all levels together', () => {
    expect(findUnsafeJson(list(MAX_JSON_VALUES))).toBeUndefined();
    expect(findUnsafeJson(list(MAX_JSON_VALUES + 1))).toMatchObject({ pointer: '' });
    const half = list(MAX_JSON_VALUES / 2);
    expect(findUnsafeJson({ a: half, b: { c: half } })).toMatchObject({ pointer: '' });
    const members = Object.fromEntries(list(MAX_JSON_VALUES + 1).map((_, i) => [`k${i}`, 0]));
    expect(findUnsafeJson(members)).toMatchObject({ pointer: '' });
  });
});

describe('JSON for Postgres', () => {
  it('has U+FFFD where a text or a key has a NUL or half a surrogate pair', () => {
    const value = { 'a\0': ['\ud83d', { b: 'x\udc00y\0', '\ud800': 1 }], fine: '😀' };
    const stored = { 'a\ufffd': ['\ufffd', { b: 'x\ufffdy\ufffd', '\ufffd': 1 }], fine: '😀' };
    expect(JSON.parse(storableJson(value))).toEqual(stored);
  });

  it('equals that of JSON.stringify for all other values, also for a text that contains such an escape literally', () => {
    const value = { text: 'C:\\u0000 \\ud800', time: new Date(0), nothing: undefined, list: [undefined, null] };
    expect(storableJson(value)).toBe(JSON.stringify(value));
    fc.assert(fc.property(fc.jsonValue(), (any) => storableJson(any) === JSON.stringify(any)));
  });
});
