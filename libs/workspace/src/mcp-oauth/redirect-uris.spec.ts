import { isLoopbackUri, isRedirectUri } from './redirect-uris.js';

describe('the redirect address of a client', () => {
  it.each([
    'https://client.example/callback',
    'https://client.example:8443/callback?a=b',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:51234/callback',
    'http://[::1]:51234/',
    'http://localhost:51234/callback',
  ])('may be %s', (address) => {
    expect(isRedirectUri(address)).toBe(true);
  });

  it.each([
    'http://client.example/callback',
    'http://127.0.0.1.client.example/',
    'http://127.0.0.2/callback',
    'https://client.example/#part',
    'https://client.example/#',
    'https://user:secret@client.example/',
    'javascript:alert(1)',
    'com.example.app:/callback',
    'client.example/callback',
    '',
  ])('may not be %s', (address) => {
    expect(isRedirectUri(address)).toBe(false);
  });

  it('is on loopback only with plain http', () => {
    expect(isLoopbackUri('http://localhost:1/')).toBe(true);
    expect(isLoopbackUri('https://localhost:1/')).toBe(false);
    expect(isLoopbackUri('not an address')).toBe(false);
  });
});
