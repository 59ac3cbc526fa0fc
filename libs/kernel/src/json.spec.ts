import fc from 'fast-check';
import { canonicalJson, findUnsafeJson, jsonPointer, type JsonValue } from './json.js';

const LIMITS = { maxDepth: 4, maxKeys: 20 };

describe('canonical JSON', () => {
  it('is the same whatever the order of members', () => {
    expect(canonicalJson({ b: 1, a: [true, { d: null, c: 'x' }] })).toBe('{"a":[true,{"c":"x","d":null}],"b":1}');
  });

  it('reads back as the value it was made of', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
      }),
    );
  });
});

describe('a JSON pointer', () => {
  it('escapes what separates its parts', () => {
    expect(jsonPointer([])).toBe('');
    expect(jsonPointer(['a/b', 0, 'm~n'])).toBe('/a~1b/0/m~0n');
  });
});

describe('unsafe JSON', () => {
  it.each([
    ['{"a":{"b":"x\\u0000y"}}', '/a/b'],
    ['["fine","half \\ud800 pair"]', '/1'],
    ['{"a":{"\\udc00":1}}', '/a'],
    ['{"a":{"__proto__":1}}', '/a'],
    ['{"constructor":1}', ''],
    ['{"a":[1e308,-1e400]}', '/a/1'],
    ['[[[[[1]]]]]', '/0/0/0/0'],
    [JSON.stringify(Array.from({ length: 21 }, () => 0)), ''],
  ])('is found: %s', (text, pointer) => {
    expect(findUnsafeJson(JSON.parse(text), LIMITS)).toMatchObject({ pointer });
  });

  it.each(['{"a":[[1]],"b":"😀 \\ud83d\\ude00 é"}', '"text"', 'null'])('is none: %s', (text) => {
    expect(findUnsafeJson(JSON.parse(text), LIMITS)).toBeUndefined();
  });
});
