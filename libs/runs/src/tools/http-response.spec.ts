import { createHash } from 'node:crypto';
import { responseOutput, responseSummary } from './http-response.js';

const redact = (text: string) => text.replaceAll('t0ken', '[redacted]');

const json = (text: string) => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: Buffer.from(text),
});

describe('the response of an http operation', () => {
  it('is its JSON value where it says that it is JSON', () => {
    expect(responseOutput(json('{"total":40}'), redact)).toEqual({ total: 40 });
    expect(
      responseOutput({ ...json('{"a":1}'), headers: { 'content-type': 'application/problem+json' } }, redact),
    ).toEqual({
      a: 1,
    });
  });

  it('is its text where it is something else, or JSON only by name', () => {
    expect(responseOutput({ ...json('hello'), headers: { 'content-type': 'text/plain' } }, redact)).toBe('hello');
    expect(responseOutput(json('{not json'), redact)).toBe('{not json');
  });

  it('is null when it is empty', () => {
    expect(responseOutput(json(''), redact)).toBeNull();
  });

  it('never holds a NUL character, which Postgres cannot store', () => {
    expect(JSON.stringify(responseOutput(json('{"a\\u0000":["b\\u0000"]}'), redact))).not.toContain('\\u0000');
    expect(responseOutput({ ...json('a\0b'), headers: {} }, redact)).toBe('a\uFFFDb');
  });

  it('is cut off beyond 1 MiB, with its size and hash', () => {
    const body = Buffer.alloc(1024 * 1024 + 1, 'x');
    const sha256 = createHash('sha256').update(body).digest('hex');
    expect(responseOutput({ ...json(''), body }, redact)).toMatchObject({
      truncated: true,
      bytes: body.length,
      sha256,
    });
  });

  it('is redacted before it is cut, so that no half of a secret is left', () => {
    const body = (secretAt: number, size: number) => Buffer.from(`${'x'.repeat(secretAt)}t0ken`.padEnd(size, 'y'));
    const summary = responseSummary({ ...json(''), body: body(198, 400) }, redact);
    expect(summary).toMatch(/x\[r…$/);
    const output = responseOutput({ ...json(''), body: body(512 * 1024 - 2, 1024 * 1024 + 1) }, redact);
    expect(output).toMatchObject({ truncated: true, text: expect.stringMatching(/x\[r$/) });
  });

  it('is summarised in one short line', () => {
    expect(responseSummary(json('{"total":\n 40}'), redact)).toBe('200 application/json, 14 bytes: {"total": 40}');
    expect(responseSummary({ ...json(''), body: Buffer.alloc(5_000, 'y') }, redact).length).toBeLessThan(280);
  });
});
