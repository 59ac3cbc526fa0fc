import { createHash } from 'node:crypto';
import { type HttpAnswer, responseAs, responseOutput, responseSummary } from './http-response.js';
import { SecretRedaction } from '@app/platform/observability';

const MIB = 1024 * 1024;
const redaction = new SecretRedaction(['t0"ken']);

const json = (text: string) => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: Buffer.from(text),
});

const summaryOf = (answer: HttpAnswer) => responseSummary(answer, responseOutput(answer, redaction, MIB), MIB);

describe('the response of an http operation', () => {
  it('is its JSON value where it says that it is JSON', () => {
    expect(responseOutput(json('{"total":40}'), redaction, MIB)).toEqual({ total: 40 });
    expect(
      responseOutput({ ...json('{"a":1}'), headers: { 'content-type': 'application/problem+json' } }, redaction, MIB),
    ).toEqual({
      a: 1,
    });
  });

  it('is its text where it is something else, or JSON only by name', () => {
    expect(responseOutput({ ...json('hello'), headers: { 'content-type': 'text/plain' } }, redaction, MIB)).toBe(
      'hello',
    );
    expect(responseOutput(json('{not json'), redaction, MIB)).toBe('{not json');
  });

  const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const bytes = (type: string | undefined, body: Buffer): HttpAnswer => ({
    status: 200,
    headers: type === undefined ? {} : { 'content-type': type },
    body,
  });
  const sha256Of = (body: Buffer) => createHash('sha256').update(body).digest('hex');

  it.each([
    ['image/png', PNG],
    ['image/png', Buffer.from('short')],
    ['application/octet-stream', PNG],
    ['application/pdf', Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3', 'latin1')],
    [undefined, PNG],
  ])('is not decoded where it is binary: %s', (type, body) => {
    expect(responseOutput(bytes(type, body), redaction, MIB)).toEqual({
      content_type: type ?? null,
      bytes: body.length,
      sha256: sha256Of(body),
      base64: body.toString('base64'),
    });
    expect(summaryOf(bytes(type, body))).toBe(`200${type ? ` ${type}` : ''}, ${body.length} bytes`);
  });

  it('has no bytes of a binary body where the definition wants references', () => {
    const known = { content_type: 'image/png', bytes: PNG.length, sha256: sha256Of(PNG), base64: null };
    expect(responseOutput(bytes('image/png', PNG), redaction, MIB, 'reference')).toEqual(known);
    expect(responseAs('binary', bytes('image/png', PNG), redaction, MIB, 'reference')).toEqual(known);
  });

  it('says of a large binary body its size and hash', () => {
    const body = Buffer.alloc(4_000, 0xff);
    const known = { content_type: 'image/png', bytes: 4_000, sha256: sha256Of(body), base64: null, truncated: true };
    expect(responseOutput(bytes('image/png', body), redaction, 4_096)).toEqual(known);
    expect(responseOutput({ ...bytes('image/png', body), truncated: true }, redaction, MIB)).toEqual({
      ...known,
      partial: true,
    });
  });

  it.each([
    ['application/octet-stream', Buffer.from('größer')],
    ['image/svg+xml', Buffer.from('<svg/>')],
    [undefined, Buffer.from('größer')],
  ])('is text where it can be read as text: %s', (type, body) => {
    expect(responseOutput(bytes(type, body), redaction, MIB)).toBe(body.toString('utf8'));
    const cut = { ...bytes(type, Buffer.from('größer').subarray(0, 3)), truncated: true };
    expect(typeof responseOutput(cut, redaction, MIB)).toBe('string');
  });

  it('is null when it is empty', () => {
    expect(responseOutput(json(''), redaction, MIB)).toBeNull();
  });

  it('never holds a NUL character, which Postgres cannot store', () => {
    expect(JSON.stringify(responseOutput(json('{"a\\u0000":["b\\u0000"]}'), redaction, MIB))).not.toContain('\\u0000');
    expect(responseOutput({ ...json('a\0b'), headers: {} }, redaction, MIB)).toBe('a\uFFFDb');
  });

  it('never holds half a surrogate pair', () => {
    expect(responseOutput(json('{"a":"\\ud800"}'), redaction, MIB)).toEqual({ a: '\uFFFD' });
  });

  it('is text where its JSON is nested without end', () => {
    const text = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(responseOutput(json(text), redaction, MIB)).toBe(text);
  });

  it.each([4_096, MIB, 4 * MIB])(
    'is cut off beyond the %i bytes that are recorded, with its size and hash',
    (maxBytes) => {
      const text = { ...json(''), headers: { 'content-type': 'text/plain' } };
      const whole = 'x'.repeat(maxBytes);
      expect(responseOutput({ ...text, body: Buffer.from(whole) }, redaction, maxBytes)).toBe(whole);
      const body = Buffer.alloc(maxBytes + 1, 'x');
      const sha256 = createHash('sha256').update(body).digest('hex');
      const output = responseOutput({ ...text, body }, redaction, maxBytes);
      expect(output).toEqual({ truncated: true, bytes: body.length, sha256, text: 'x'.repeat(maxBytes / 2) });
      expect(responseSummary({ ...text, body }, output, maxBytes)).toMatch(/bytes: x{200}…$/);
    },
  );

  it('of which not all was read says that its size and hash are those of the beginning', () => {
    const answer = { ...json(''), body: Buffer.alloc(1024 * 1024 + 1, 'x'), truncated: true };
    expect(responseOutput(answer, redaction, MIB)).toMatchObject({
      truncated: true,
      bytes: answer.body.length,
      partial: true,
    });
    expect(summaryOf(answer)).toMatch(/^200 application\/json, more than 1048577 bytes: x{200}…$/);
  });

  it('is redacted before it is cut, so that no half of a secret is left', () => {
    const body = (before: number, size: number) => Buffer.from(`${'x'.repeat(before)}t0"ken`.padEnd(size, 'y'));
    const text = { ...json(''), headers: { 'content-type': 'text/plain' } };
    expect(summaryOf({ ...text, body: body(198, 400) })).toMatch(/x\[r…$/);
    const output = responseOutput({ ...text, body: body(512 * 1024 - 2, 1024 * 1024 + 1) }, redaction, MIB);
    expect(output).toMatchObject({ truncated: true, text: expect.stringMatching(/x\[r$/) });
  });

  it('is redacted however deep a secret is quoted', () => {
    const quoted = JSON.stringify({ a: JSON.stringify({ b: 't0"ken' }) });
    expect(responseOutput(json(quoted), redaction, MIB)).toEqual({ a: '{"b":"[redacted]"}' });
    expect(summaryOf(json(quoted))).toMatch(/: \{"a":"\{\\"b\\":\\"\[redacted\]\\"\}"\}$/);
  });

  it('is summarised in one short line', () => {
    expect(summaryOf(json('{"total":\n 40}'))).toBe('200 application/json, 14 bytes: {"total":40}');
    expect(summaryOf(json(''))).toBe('200 application/json, 0 bytes');
    expect(summaryOf({ ...json(''), body: Buffer.alloc(5_000, 'y') }).length).toBeLessThan(280);
    expect(summaryOf({ ...json(''), body: Buffer.alloc(2_000_000, 'y') })).toMatch(
      /^200 application\/json, 2000000 bytes: y{200}…$/,
    );
  });

  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  it.each<[string, Buffer, unknown]>([
    ['text/html; charset=ISO-8859-1', latin1('Regi\xe3o'), 'Região'],
    ['application/json;charset=ISO-8859-15', latin1('{"n":"\xe9 5 \xa4"}'), { n: 'é 5 €' }],
    ['text/csv; charset="windows-1252"', latin1('a;b\r\n\x80;\xfc'), 'a;b\r\n€;ü'],
    ['application/json; charset=utf-16le', Buffer.from('{"a":1}', 'utf16le'), { a: 1 }],
    ['application/json', Buffer.from('\ufeff{"a":1}'), { a: 1 }],
    ['application/json', Buffer.from('\ufeff{"a":1}', 'utf16le'), { a: 1 }],
    ['text/csv', Buffer.from('\ufeffid;n'), 'id;n'],
    ['text/csv', latin1('K\xf6ln'), 'Köln'],
    ['application/xml', latin1('<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>'), expect.stringContaining('é')],
    ['application/x-own; charset=iso-8859-1', latin1('K\xf6ln'), 'Köln'],
  ])('is decoded as the response declares: %s', (type, body, expected) => {
    expect(responseOutput(bytes(type, body), redaction, MIB)).toEqual(expected);
    const long = Buffer.concat([body, body, body]);
    const cut = responseOutput(bytes(type, long), redaction, body.length);
    expect(JSON.stringify(cut)).not.toContain('\uFFFD');
  });

  it('has integers beyond 2^53 as text', () => {
    expect(responseOutput(json('{"id":1533947986218845197,"n":[7]}'), redaction, MIB)).toEqual({
      id: '1533947986218845197',
      n: [7],
    });
  });

  it('says how many characters could not be decoded', () => {
    const answer = bytes('text/plain; charset=utf-8', latin1(`a\xff${'b'.repeat(100)}`));
    expect(summaryOf(answer)).toMatch(/^200 text\/plain, 102 bytes, 1 character could not be decoded: a\uFFFDb/);
  });
});
