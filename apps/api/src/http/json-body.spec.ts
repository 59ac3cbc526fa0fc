import { parseJsonObject } from './json-body.js';

describe('a JSON body', () => {
  it('is the object that was sent', () => {
    expect(parseJsonObject(' {"a": {"b": [1, null]}} ')).toEqual({ a: { b: [1, null] } });
  });

  it.each(['[]', 'null', '"text"', '17', 'true'])('that is %s is not taken', (text) => {
    expect(() => parseJsonObject(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it.each(['', '  \n'])('that is empty (%j) is not taken', (text) => {
    expect(() => parseJsonObject(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('that is malformed is refused with the place of the mistake', () => {
    expect(() => parseJsonObject('{\n  "a": tru }')).toThrow(
      expect.objectContaining({
        code: 'invalid_json',
        errors: [expect.objectContaining({ pointer: '', line: 2, column: 8 })],
      }),
    );
  });

  it.each([
    ['reaches for a prototype', '{"input": {"__proto__": {"polluted": 1}}}', '/input'],
    ['names a constructor', '{"constructor": 1}', ''],
    ['carries a NUL', '{"a": "x\\u0000"}', '/a'],
    ['carries half a surrogate pair', '{"a": ["\\ud800"]}', '/a/0'],
    ['is nested too deeply', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, `/a${'/0'.repeat(31)}`],
  ])('that %s is refused with a pointer', (_what, text, pointer) => {
    expect(() => parseJsonObject(text)).toThrow(
      expect.objectContaining({ code: 'invalid_request', errors: [expect.objectContaining({ pointer })] }),
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('with more than 10 000 values is refused', () => {
    const many = JSON.stringify({ list: Array.from({ length: 10_001 }, () => 0) });
    expect(() => parseJsonObject(many)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('nested a hundred thousand times is refused and does not exhaust the stack', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(() => parseJsonObject(deep)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
