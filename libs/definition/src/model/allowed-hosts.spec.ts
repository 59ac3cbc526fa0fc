import { allowsUrl, covers, hostText, parseAllowedHost } from './allowed-hosts.js';

const hosts = (...entries: string[]) =>
  entries.map((entry) => {
    const host = parseAllowedHost(entry);
    if (!host) throw new Error(`${entry} is not a host`);
    return host;
  });

describe('the allowed hosts of a tool', () => {
  it.each([
    ['api.example.com', 'https://api.example.com/x', true],
    ['api.example.com', 'https://API.Example.COM./x', true],
    ['api.example.com', 'https://api.example.com:8443/', true],
    ['api.example.com', 'https://api.example.com.evil.example/', false],
    ['api.example.com', 'https://evil.example/api.example.com', false],
    ['api.example.com:8443', 'https://api.example.com:8443/', true],
    ['api.example.com:8443', 'https://api.example.com/', false],
    ['api.example.com:443', 'https://api.example.com/', true],
    ['api.example.com:443', 'http://api.example.com/', false],
    ['*.example.net', 'https://a.example.net/', true],
    ['*.example.net', 'https://a.b.example.net/', true],
    ['*.example.net', 'https://example.net/', false],
    ['*.example.net', 'https://evilexample.net/', false],
    ['127.0.0.1', 'http://127.1:4000/', true],
    ['127.0.0.1', 'http://0x7f000001/', true],
    ['127.0.0.1', 'http://2130706433/', true],
    ['[::1]:80', 'http://[0:0:0:0:0:0:0:1]/', true],
    ['::1', 'http://[::1]:8080/', true],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['xn--bcher-kva.example', 'https://BÜCHER.example/', true],
  ])('%s and %s: %s', (entry, url, isAllowed) => {
    expect(allowsUrl(hosts(entry), new URL(url))).toBe(isAllowed);
  });

  it.each([
    '*', '*.net', '*.*.com', 'a*.example.com', '*.10.0.0.1', 'https://a.example', 'a.example/x', 'u@a.example', 'a.example:', 'a.example:0',
    'a.example:70000', '', ' ', 'a b', 'a?b', '[::1', '*.[::1]',
  ])('%j is no entry', (entry) => expect(parseAllowedHost(entry)).toBeUndefined()); // prettier-ignore

  it('are compared by what they allow', () => {
    const [wildcard, below, other] = hosts('*.example.net', 'a.example.net:8443', 'a.example.net');
    expect(covers(wildcard!, below!)).toBe(true);
    expect(covers(below!, other!)).toBe(false);
    expect(covers(other!, below!)).toBe(true);
    expect(covers(other!, wildcard!)).toBe(false);
    expect(covers(...(hosts('*.example.net', '*.a.example.net') as [never, never]))).toBe(true);
  });

  it('are shown with the port unless it is the default', () => {
    expect(hostText(new URL('https://a.example:443/x'))).toBe('a.example');
    expect(hostText(new URL('http://A.example.:8080/x'))).toBe('a.example:8080');
  });
});
