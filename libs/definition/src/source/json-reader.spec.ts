import fc from 'fast-check';
import { findJsonMistake } from './json-reader.js';

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
    ['{"a": }', 1, 7, 'A value is expected here, but there is `}`.'],
    ['{"a": 1,}', 1, 8, 'JSON allows no comma before `}`.'],
    ['{a: 1}', 1, 2, 'A key in double quotes is expected here, but there is `a`.'],
    ['[1, 2,\n  3 4]', 2, 5, 'A comma or `]` is expected here, but there is `4`.'],
    ['{"a" 1}', 1, 6, 'A `:` after the key is expected here, but there is `1`.'],
    ['{"a": 01}', 1, 8, 'A comma or `}` is expected here, but there is `1`.'],
    ['{"a": "x\ny"}', 1, 9, 'A string must not contain line breaks or control characters.'],
    ['{} {}', 1, 4, 'There is more text after the end of the JSON value.'],
    ['{"constructor": 1, "constructor": }', 1, 35, 'A value is expected here, but there is `}`.'],
    ['{"a": 1', 1, 8, 'A comma or `}` is expected here, but the text ends.'],
  ])('in %j is line %d, column %d', (text, line, column, detail) => {
    expect(findJsonMistake(text)).toMatchObject({ line, column, detail });
  });

  it('is none in any JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.nat(4), (json, indent) => {
        expect(findJsonMistake(JSON.stringify(JSON.parse(json), null, indent))).toBeUndefined();
      }),
    );
  });

  it('is found in each text that JSON.parse rejects', () => {
    const patches = [
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
    ];
    const damaged = fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...patches)).map(([json, at, patch]) => {
      const start = at % (json.length + 1);
      return json.slice(0, start) + patch + json.slice(start + 1);
    });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string()), (text) => isJson(text) || findJsonMistake(text) !== undefined),
      { numRuns: 700 },
    );
  });
});
