import { tracedRequest } from './traced-request.js';

const PATH = [{ text: '/orders/' }, { parameter: 'id' }];
const REQUEST = {
  method: 'POST',
  url: 'https://shop.example.com/orders/my%20iban?q=1',
  headers: { accept: '*/*', 'User-Agent': 'x', Authorization: 'Basic abc', 'x-tenant': 'a' },
  body: '{"amount":40}',
};

describe('the request in the trace', () => {
  it('has no credentials, and no headers that every request has', () => {
    expect(tracedRequest(REQUEST, { path: PATH }, false)).toEqual({
      method: 'POST',
      url: REQUEST.url,
      headers: { Authorization: '[redacted]', 'x-tenant': 'a' },
      body: '{"amount":40}',
    });
  });

  it.each([
    ['long text', 'x'.repeat(5_000)],
    ['bytes', new Uint8Array(2)],
    ['nothing', null],
  ])('has no body of %s', (_, body) => {
    expect(tracedRequest({ ...REQUEST, body }, { path: PATH }, false)).not.toHaveProperty('body');
  });

  it('has only names in a run that redacts values, because encoded values are not found', () => {
    expect(tracedRequest(REQUEST, { path: PATH }, true)).toEqual({
      method: 'POST',
      url: 'https://shop.example.com/orders/{id}',
    });
  });
});
