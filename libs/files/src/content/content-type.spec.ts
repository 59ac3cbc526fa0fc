import { declaredType, detectContentType } from './content-type.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const COMPOUND = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
const text = (content: string) => Buffer.from(content);

describe('the type of a file', () => {
  it.each<[string, Buffer, string | null, string, string]>([
    ['bytes, whatever is declared', PNG, 'text/html', 'a.html', 'image/png'],
    ['text as it is declared', text('{}'), 'application/vnd.api+json', 'a', 'application/vnd.api+json'],
    ['text that is declared as something else', text('a,b'), 'image/png', 'a.csv', 'text/csv'],
    ['text by its ending', text('# A'), null, 'READ.ME.MD', 'text/markdown'],
    ['markup with a declaration', text('<?xml version="1.0"?><svg/>'), null, 'a.svg', 'image/svg+xml'],
    ['text of no known kind', text('hello'), null, 'a.pdf', 'text/plain'],
    ['an empty file', text(''), null, 'a.bin', 'text/plain'],
    ['text in UTF-16', Buffer.from('fffe61006200', 'hex'), null, 'a.txt', 'text/plain'],
    ['text of a terminal', text('\u001b[1mbold'), null, 'a', 'text/plain'],
    ['other bytes', Buffer.from('00010203', 'hex'), 'text/plain', 'a.txt', 'application/octet-stream'],
    ['an old Office file', COMPOUND, 'application/msword', 'a.doc', 'application/msword'],
    ['another compound file', COMPOUND, 'text/html', 'a.html', 'application/x-cfb'],
  ])('of %s', async (_, head, declared, name, type) => {
    expect(await detectContentType(head, declared, name)).toBe(type);
  });

  it.each([
    [undefined, null],
    ['application/octet-stream', null],
    ['application/x-www-form-urlencoded', null],
    ['not a type', null],
    ['TEXT/CSV; charset=utf-8', 'text/csv'],
  ])('is declared by %j as %j', (header, declared) => {
    expect(declaredType(header)).toBe(declared);
  });
});
