import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { JsonObject } from '@app/kernel';
import { idempotencyClaim, readIdempotencyKey } from './idempotency-key.js';

function requestWith(key: string | undefined): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = key === undefined ? {} : { 'idempotency-key': key };
  return request;
}

describe('an Idempotency-Key', () => {
  it.each([
    ['order-17', 'order-17'],
    ['a b', 'a b'],
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('%s is %s', (header, key) => {
    expect(readIdempotencyKey(requestWith(header))).toBe(key);
  });

  it('may be absent', () => {
    expect(readIdempotencyKey(requestWith(undefined))).toBeUndefined();
  });

  it.each(['', '""', 'x'.repeat(256), 'tab\there', 'schlüssel', '"open'])('%j is refused', (header) => {
    expect(() => readIdempotencyKey(requestWith(header))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('the fingerprint of a body', () => {
  it('is the same however the members are ordered, and another for other content', () => {
    const fingerprint = (body: JsonObject) => idempotencyClaim('POST /x', 'key', body)?.fingerprint;
    expect(fingerprint({ a: 1, b: { c: 2, d: 3 } })).toEqual(fingerprint({ b: { d: 3, c: 2 }, a: 1 }));
    expect(fingerprint({ a: 1 })).not.toEqual(fingerprint({ a: '1' }));
  });
});
