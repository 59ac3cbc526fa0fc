import { parseJsonBody, parseJsonObject } from './json-body.js';

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
    ['carries a NUL', '{"a": "x\\u0000"}', '/a'],
    ['carries half a surrogate pair', '{"a": ["\\ud800"]}', '/a/0'],
    ['is nested too deeply', `{"a":${'['.repeat(201)}${']'.repeat(201)}}`, `/a${'/0'.repeat(199)}`],
  ])('that %s is refused with a pointer', (_what, text, pointer) => {
    expect(() => parseJsonObject(text)).toThrow(
      expect.objectContaining({ code: 'invalid_request', errors: [expect.objectContaining({ pointer })] }),
    );
  });

  it('may have any keys and any number of values: they are data', () => {
    const lines = Array.from({ length: 20_000 }, () => 0);
    const text = `{"__proto__":{"polluted":1},"constructor":{"prototype":2},"lines":${JSON.stringify(lines)}}`;
    expect(JSON.stringify(parseJsonObject(text))).toBe(text);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('nested a hundred thousand times is refused and does not exhaust the stack', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(() => parseJsonObject(deep)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('has no integer that would become another number', () => {
    expect(() => parseJsonObject('{"a":[1,{"id":1533947986218845197}]}')).toThrow(
      expect.objectContaining({ code: 'invalid_request', errors: [expect.objectContaining({ pointer: '/a/1/id' })] }),
    );
    expect(parseJsonObject('{"a":100000000000000000000}')).toEqual({ a: 1e20 });
  });

  it('of another service has such an integer as text', () => {
    expect(parseJsonBody('[{"id":1533947986218845197}]')).toEqual([{ id: '1533947986218845197' }]);
  });
});
