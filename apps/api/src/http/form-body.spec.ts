import { objectBody, parseSentBody } from './form-body.js';

const parse = (type: string | undefined, body: string | Buffer) =>
  parseSentBody({ headers: type === undefined ? {} : { 'content-type': type } }, Buffer.from(body));

describe('a body whose type the sender chose', () => {
  it.each([
    'application/json',
    'application/cloudevents+json; charset=utf-8',
    'application/hal+json',
    'text/json',
    'application/x-json',
    'text/plain; charset=UTF-8',
    'application/octet-stream',
    undefined,
  ])('is JSON with the type %s', (type) => {
    expect(parse(type, '{"a":1}')).toEqual({ a: 1 });
    expect(parse(type, ' [{"a":1}]')).toEqual([{ a: 1 }]);
  });

  it.each([
    ['text/plain', '{"a":'],
    ['text/plain', 'Disk full on db-1'],
    ['text/csv', 'a,b\n1,2'],
    ['application/xml', '<alarm/>'],
    ['application/atom+xml', '<feed/>'],
  ])('is a text with the type %s and the body %s', (type, body) => {
    expect(parse(type, body)).toBe(body);
  });

  it.each([
    ['application/x-www-form-urlencoded; charset=windows-1252', 'name=J%FCrgen', { name: 'Jürgen' }],
    [
      'application/x-www-form-urlencoded',
      'name=J%C3%BCrgen+K&a=1%3D1=1&a=2&&b',
      { name: 'Jürgen K', a: ['1=1=1', '2'], b: '' },
    ],
    ['application/x-www-form-urlencoded; charset=windows-1252', 'a=%80', { a: '€' }],
    ['application/x-www-form-urlencoded', 'charset=windows-1252&a=M%FCller', { charset: 'windows-1252', a: 'Müller' }],
    ['application/x-www-form-urlencoded', '_charset_=utf-8&a=%C3%BC', { _charset_: 'utf-8', a: 'ü' }],
    ['application/x-www-form-urlencoded; charset=Shift_JIS', '%93%FA=%96%7B', { 日: '本' }],
    ['application/json; charset=iso-8859-1', Buffer.from('{"a":"é"}', 'latin1'), { a: 'é' }],
    ['application/json; charset=utf-16le', Buffer.from('\ufeff{"a":1}', 'utf16le'), { a: 1 }],
  ])('has the charset of its type: %s', (type, body, value) => {
    expect(parse(type, body)).toEqual(value);
  });

  it.each([
    ['application/json', Buffer.from('{"a":"Grüße"}', 'latin1'), { a: 'Grüße' }],
    ['application/json', Buffer.from('\ufeff{"a":1}', 'utf16le'), { a: 1 }],
    ['text/plain', Buffer.from('Grüße', 'latin1'), 'Grüße'],
    [
      'application/xml',
      Buffer.from('<?xml version="1.0" encoding="iso-8859-2"?><a>\xb3</a>', 'latin1'),
      '<?xml version="1.0" encoding="iso-8859-2"?><a>ł</a>',
    ],
    [
      'application/x-www-form-urlencoded',
      'name=J%FCrgen+M%FCller&city=K%F6ln',
      { name: 'Jürgen Müller', city: 'Köln' },
    ],
  ])('has a charset that is detected if the type has none: %s', (type, body, value) => {
    expect(parse(type, body)).toEqual(value);
  });

  it.each([
    ['application/json', '7', 'invalid_request'],
    ['application/json', 'null', 'invalid_request'],
    ['application/vnd.api+json', '{', 'invalid_json'],
    ['text/plain', 'a\u0000b', 'invalid_request'],
    ['application/json; charset=utf-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'invalid_request'],
    ['application/json; charset=klingon', '{}', 'unsupported_media_type'],
    ['application/pdf', '%PDF', 'unsupported_media_type'],
    ['application/octet-stream', 'abc', 'unsupported_media_type'],
    [undefined, 'abc', 'unsupported_media_type'],
  ])('is refused with the type %s and the body %s', (type, body, code) => {
    expect(() => parse(type, body)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    ['text/plain', 'abc', 'unsupported_media_type'],
    ['application/json', '[1]', 'invalid_request'],
  ])('must be an object where an operation needs one: %s', (type, body, code) => {
    const request = { headers: { 'content-type': type } };
    expect(() => objectBody(request, parse(type, body))).toThrow(expect.objectContaining({ code }));
  });
});
