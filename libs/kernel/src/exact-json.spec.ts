import { findInexactInteger, isInexact, parseExactJson } from './exact-json.js';

const ID = '1533947986218845197';

describe('integers beyond 2^53 in JSON', () => {
  it.each<[string, unknown]>([
    [`{"id":${ID},"n":1}`, { id: ID, n: 1 }],
    [`[${ID}, -${ID} ,\n${ID}]`, [ID, `-${ID}`, ID]],
    [ID, ID],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['9007199254740992', '9007199254740992'],
    ['10000000000000000000000', '10000000000000000000000'],
    ['0.1234567890123456789', 0.12345678901234568],
    ['1234567890123456789.5', 1234567890123456800],
    ['1234567890123456789e3', 1.2345678901234568e21],
    ['1e1234567890123456789', Infinity],
    ['1e-1234567890123456789', 0],
    [`{"a":"${ID}","b\\"${ID}":"\\\\","c":${ID}}`, { a: ID, [`b"${ID}`]: '\\', c: ID }],
    [`["\\\\\\"",${ID}]`, ['\\"', ID]],
  ])('become text, and nothing else changes: %s', (text, expected) => {
    expect(parseExactJson(text)).toEqual(expected);
  });

  it.each([`{${ID}:1}`, `0${ID}`, `--${ID}`, `[${ID}`, `"${ID}`, `${ID} ${ID}`])(
    'make no invalid JSON valid: %s',
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    },
  );

  it('keep a member `__proto__`', () => {
    expect(JSON.stringify(parseExactJson(`{"__proto__":${ID}}`))).toBe(`{"__proto__":"${ID}"}`);
  });

  it('are found with their place', () => {
    expect(findInexactInteger(`{"a":["x",{"b/c":${ID}}]}`)).toEqual({
      pointer: '/a/1/b~1c',
      detail: `The integer ${ID} is beyond 2^53, so it would become 1533947986218845200. Send it as a string.`,
    });
    for (const text of ['{"a":1}', '[100000000000000000000]', '[9007199254740992]', `["${ID}"]`])
      expect(findInexactInteger(text)).toBeUndefined();
  });

  it('are inexact if their number has another value', () => {
    expect(isInexact(ID, Number(ID))).toBe(true);
    expect(isInexact('9007199254740992', 9007199254740992)).toBe(false);
    expect(isInexact('1533947986218845200', 1533947986218845200)).toBe(false);
  });
});
