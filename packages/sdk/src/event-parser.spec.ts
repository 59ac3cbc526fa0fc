import { EventParser, type ServerEvent } from './event-parser.js';

const parse = (...pieces: string[]): ServerEvent[] => {
  const parser = new EventParser();
  return pieces.flatMap((piece) => [...parser.push(piece)]);
};
const dataOf = (...pieces: string[]): string[] => parse(...pieces).map(({ data }) => data);

describe('the parser of event streams', () => {
  it.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['CR LF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['a mixture', 'data: a\r\n\ndata: b\r\r\n'],
  ])('takes %s as the end of a line', (_name, text) => {
    expect(dataOf(text)).toEqual(['a', 'b']);
  });

  it.each([
    ['joins lines of data', 'data: a\ndata: b\n\n', ['a\nb']],
    ['removes one space after the colon', 'data:  a\n\ndata:b\n\n', [' a', 'b']],
    ['ignores comments', ': alive\n\n:\ndata: a\n: b\n\n', ['a']],
    ['takes a line without a colon as a field without a value', 'data\n\ndata\ndata\n\n', ['', '\n']],
    ['drops a block without data', 'event: a\n\ndata: b\n\n', ['b']],
    ['drops a block that is not complete', 'data: a\n\ndata: b\n', ['a']],
    ['keeps colons in a value', 'data: {"a": 1}\n\n', ['{"a": 1}']],
    ['ignores unknown fields', 'datum: a\n data: b\nDATA: c\ndata: d\n\n', ['d']],
  ])('%s', (_title, text, data) => {
    expect(dataOf(text)).toEqual(data);
  });

  it('gives the same events wherever the stream is cut', () => {
    const text = 'event: step\r\nid: 1\r\ndata: a\r\ndata: b\r\n\r\n: c\r\rid: 2\ndata: d\n\n';
    const whole = parse(text);
    expect(whole).toHaveLength(2);
    for (let at = 0; at <= text.length; at += 1) expect(parse(text.slice(0, at), text.slice(at))).toEqual(whole);
    expect(parse(...text)).toEqual(whole);
  });

  it('gives an event as soon as its last line has ended, although LF could follow', () => {
    const parser = new EventParser();
    expect([...parser.push('data: a\r\r')]).toHaveLength(1);
    expect([...parser.push('\ndata: b\n\n')]).toEqual([{ type: 'message', data: 'b', id: undefined }]);
  });

  it('names an event after its field, and the next one not', () => {
    expect(parse('event: step\ndata: a\n\ndata: b\n\n').map(({ type }) => type)).toEqual(['step', 'message']);
  });

  it('remembers the last id, also of a block without data, and ignores one with NUL', () => {
    const parser = new EventParser('0');
    expect([...parser.push('id: 1\ndata: a\n\ndata: b\n\n')].map(({ id }) => id)).toEqual(['1', undefined]);
    expect(parser.lastId).toBe('1');
    expect([...parser.push('id: 2\n\nid: 3\0\ndata: c\n\n')].map(({ id }) => id)).toEqual([undefined]);
    expect(parser.lastId).toBe('2');
    expect([...parser.push('id\ndata: d\n\nid: 4\n')]).toEqual([{ type: 'message', data: 'd', id: '' }]);
    expect(parser.lastId).toBe('');
  });

  it('reads the time of reconnection, and ignores one that is no number', () => {
    const parser = new EventParser();
    expect([...parser.push('retry: 2000\nretry: soon\n\n')]).toEqual([]);
    expect(parser.retryMillis).toBe(2_000);
  });
});
