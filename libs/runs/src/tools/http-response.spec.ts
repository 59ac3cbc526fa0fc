import { createHash } from 'node:crypto';
import { responseOutput, responseSummary } from './http-response.js';

const json = (text: string) => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: Buffer.from(text),
});

describe('the response of an http operation', () => {
  it('is its JSON value where it says that it is JSON', () => {
    expect(responseOutput(json('{"total":40}'))).toEqual({ total: 40 });
    expect(responseOutput({ ...json('{"a":1}'), headers: { 'content-type': 'application/problem+json' } })).toEqual({
      a: 1,
    });
  });

  it('is its text where it is something else, or JSON only by name', () => {
    expect(responseOutput({ ...json('hello'), headers: { 'content-type': 'text/plain' } })).toBe('hello');
    expect(responseOutput(json('{not json'))).toBe('{not json');
  });

  it('is null when it is empty', () => {
    expect(responseOutput(json(''))).toBeNull();
  });

  it('never holds a NUL character, which Postgres cannot store', () => {
    expect(JSON.stringify(responseOutput(json('{"a\\u0000":["b\\u0000"]}')))).not.toContain('\\u0000');
    expect(responseOutput({ ...json('a\0b'), headers: {} })).toBe('a\uFFFDb');
  });

  it('is cut off beyond 1 MiB, with its size and hash', () => {
    const body = Buffer.alloc(1024 * 1024 + 1, 'x');
    const sha256 = createHash('sha256').update(body).digest('hex');
    expect(responseOutput({ ...json(''), body })).toMatchObject({ truncated: true, bytes: body.length, sha256 });
  });

  it('is summarised in one short line', () => {
    expect(responseSummary(json('{"total":\n 40}'))).toBe('200 application/json, 14 bytes: {"total": 40}');
    expect(responseSummary({ ...json(''), body: Buffer.alloc(5_000, 'y') }).length).toBeLessThan(280);
  });
});
