import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { readBearerToken } from './authentication.service.js';

function requestWith(...authorization: string[]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = authorization[0] === undefined ? {} : { authorization: authorization[0] };
  request.rawHeaders = authorization.flatMap((value, index) => [index % 2 ? 'authorization' : 'Authorization', value]);
  return request;
}

describe('a bearer token', () => {
  it.each(['Bearer aas_live_x', 'bearer aas_live_x', 'BEARER   aas_live_x '])('is read from %j', (header) => {
    expect(readBearerToken(requestWith(header))).toBe('aas_live_x');
  });

  it('is missed', () => {
    expect(() => readBearerToken(requestWith())).toThrow(expect.objectContaining({ code: 'missing_api_key' }));
  });

  it.each([
    'aas_live_x',
    'Basic dXNlcjpwdw==',
    'Bearer',
    'Bearer a b',
    'Bearer a, Bearer b',
    '',
    `Bearer ${'x'.repeat(600)}`,
  ])('is none in %j', (header) => {
    expect(() => readBearerToken(requestWith(header))).toThrow(expect.objectContaining({ code: 'invalid_api_key' }));
  });

  it('is not chosen from two', () => {
    expect(() => readBearerToken(requestWith('Bearer a', 'Bearer b'))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});
