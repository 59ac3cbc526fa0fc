import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { bodyFingerprint, readIdempotencyKey } from './idempotency-key.js';

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
    expect(bodyFingerprint({ a: 1, b: { c: 2, d: 3 } })).toEqual(bodyFingerprint({ b: { d: 3, c: 2 }, a: 1 }));
    expect(bodyFingerprint({ a: 1 })).not.toEqual(bodyFingerprint({ a: '1' }));
  });
});
