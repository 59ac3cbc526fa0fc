import fc from 'fast-check';
import { findJsonSyntaxError } from './json-syntax.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the place of a JSON mistake', () => {
  it.each([
    ['{"a": }', 1, 7, 'Expected a value, found "}".'],
    ['{"a": 1,}', 1, 9, 'Expected a key in double quotes, found "}".'],
    ['{a: 1}', 1, 2, 'Expected a key in double quotes or `}`, found "a".'],
    ['[1, 2,\n  3 4]', 2, 5, 'Expected `,` or the closing bracket, found "4".'],
    ['{"a" 1}', 1, 6, 'Expected `:`, found "1".'],
    ['{"a": [1, 2}', 1, 12, 'Expected `,` or the closing bracket, found "}".'],
    ['{"a": 01}', 1, 7, 'Expected a value, found "0".'],
    ['{"a": "x\ny"}', 1, 7, 'Expected a value, found "\\"".'],
    ["{'a': 1}", 1, 2, 'Expected a key in double quotes or `}`, found "\'".'],
    ['{} {}', 1, 4, 'Expected the end of the text, found "{".'],
    ['{"a": 1', 1, 8, 'Expected `,` or the closing bracket, found the end of the text.'],
    ['{"a": True}', 1, 7, 'Expected a value, found "T".'],
    ['[1,truefalse]', 1, 4, 'Expected a value, found "t".'],
  ])('in %j is line %d, column %d', (text, line, column, detail) => {
    expect(findJsonSyntaxError(text)).toEqual({ line, column, detail });
  });

  it('is none in any JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (json, indent) => {
        expect(findJsonSyntaxError(json)).toBeUndefined();
        expect(findJsonSyntaxError(JSON.stringify(JSON.parse(json), null, indent))).toBeUndefined();
      }),
    );
  });

  it('is found in exactly the texts that JSON.parse refuses', () => {
    const damaged = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom(
          '',
          '{',
          ']',
          ',',
          ':',
          '"',
          '0',
          '-',
          '.',
          'e',
          't',
          '\\',
          '\n',
          '\u0001',
          '\u007f',
          '\u0085',
          ' ',
        ),
      )
      .map(
        ([json, at, patch]) => json.slice(0, at % (json.length + 1)) + patch + json.slice((at % (json.length + 1)) + 1),
      );
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string()), (text) => (findJsonSyntaxError(text) === undefined) === isJson(text)),
      { numRuns: 2_000 },
    );
  });
});
