import { parseEgressAllowEntry } from './egress.config.js';

function read(text: string): string | undefined {
  const entry = parseEgressAllowEntry(text);
  return entry && `${entry.network.toString()} /${entry.prefixLength} ${entry.port ?? 'any port'}`;
}

describe('an entry of EGRESS_ALLOW', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0 /8 any port'],
    ['10.1.2.0/24:5432', '10.1.2.0 /24 5432'],
    ['127.0.0.1', '127.0.0.1 /32 any port'],
    ['127.0.0.1:8080', '127.0.0.1 /32 8080'],
    ['0.0.0.0/0', '0.0.0.0 /0 any port'],
    ['fd00::/8', 'fd00:: /8 any port'],
    ['fd00::/8:443', 'fd00:: /8 443'],
    ['::1', '::1 /128 any port'],
    ['[::1]:8080', '::1 /128 8080'],
    ['[fd00::]/8:8080', 'fd00:: /8 8080'],
  ])('%s is read as %s', (text, meaning) => {
    expect(read(text)).toBe(meaning);
  });

  it.each([
    '',
    'localhost',
    'example.com:80',
    '10.0.0.1/8',
    '10.0.0.0/33',
    '10.0.0.0/8:0',
    '10.0.0.0/8:70000',
    '010.0.0.0/8',
    '10.0/8',
    'fd00::1/8',
    '::1/129',
    '[::1',
    '1.2.3.4:',
    'http://10.0.0.1',
  ])('%j is refused', (text) => {
    expect(read(text)).toBeUndefined();
  });
});
