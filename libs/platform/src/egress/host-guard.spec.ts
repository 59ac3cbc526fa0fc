import { ConfigurationError } from '@app/platform/config';
import { EgressClient, EgressError, HostGuard } from './index.js';

/** Addresses of the host names in the tables below. Other names do not resolve. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.test': ['93.184.216.34', '2606:2800:220:1::1'],
  'private.test': ['10.1.2.3'],
  'mixed.test': ['93.184.216.34', '127.0.0.1'],
  'mixed6.test': ['2606:2800:220:1::1', '::1'],
  'mapped.test': ['::ffff:169.254.169.254'],
  'zone.test': ['fe80::1%eth0'],
  'odd.test': ['not-an-address'],
  'empty.test': [],
  localhost: ['93.184.216.34'],
  'a.localhost': ['93.184.216.34'],
  'db.internal': ['93.184.216.34'],
  'metadata.google.internal': ['169.254.169.254'],
  'metadata.google.internal.': ['93.184.216.34'],
  'ip6-localhost': ['::1'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
};

async function lookup(hostname: string): Promise<{ address: string }[]> {
  const addresses = NAMES[hostname];
  if (!addresses) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  return addresses.map((address) => ({ address }));
}

async function failureOf(url: string): Promise<string> {
  const client = new EgressClient({ allow: [], lookup });
  try {
    const { status } = await client.request({ url, timeoutMs: 2_000, onBeforeSend: () => false });
    return `answered ${status}`;
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return `${error.reason}${error.sent ? ', sent' : ''}`;
  } finally {
    await client.onApplicationShutdown();
  }
}

describe('a hostile URL', () => {
  it.each([
    // Loopback addresses in every spelling that a URL parser accepts.
    'http://127.0.0.1/',
    'http://127.0.0.1:8080/',
    'http://127.1/',
    'http://127.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.0x0.0x0.0x1/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://0177.0.0x1/',
    'http://127.127.127.127/',
    'http://127.0.0.1./',
    'http://１２７.０.０.１/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://%6c%6f%63%61%6c%68%6f%73%74/',
    'http:\\\\127.0.0.1\\',
    'http:127.0.0.1/',
    'http:/127.0.0.1/',
    '\thttp://127.0.0.1/\n',
    'http://127.0.0\n.1/',
    'https://127.0.0.1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[0000::0001]:443/',
    // IPv4 addresses inside IPv6 addresses.
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:7f00:0001]/',
    'http://[::127.0.0.1]/',
    'http://[::7f00:1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:a00:1::1]/',
    'http://[2001:0:7f00:1::1]/',
    'http://[::ffff:0:127.0.0.1]/',
    // Private, shared, link-local, metadata, multicast and reserved addresses.
    'http://10.0.0.1/',
    'http://10.255.255.255/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://100.127.255.255/',
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.170.2/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fc00::1]/',
    'http://[ff02::1]/',
    'http://[100::1]/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[5f00::1]/',
    'http://192.0.0.192/',
    'http://192.0.2.1/',
    'http://198.18.0.1/',
    'http://198.51.100.1/',
    'http://203.0.113.1/',
    'http://224.0.0.1/',
    'http://239.255.255.255/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    // Internal names, and names with an address that is not public.
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost:3000/',
    'http://a.localhost/',
    'http://ⓛocalhost/',
    'http://db.internal/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://metadata.google.internal./',
    'http://private.test/',
    'http://mixed.test/',
    'https://mixed6.test/',
    'http://mapped.test/',
    'http://zone.test/',
    'http://ip6-localhost/',
    'http://127.0.0.1.nip.io/',
    // Ports of services that a crafted HTTP request can attack.
    'http://public.test:22/',
    'http://93.184.216.34:25/',
    'http://93.184.216.34:1023/',
  ])('%j is blocked before a connection is made', async (url) => {
    expect(await failureOf(url)).toBe('blocked');
  });

  it.each([
    '',
    'example.com',
    '/etc/passwd',
    '//127.0.0.1/',
    'file:///etc/passwd',
    'ftp://public.test/',
    'gopher://127.0.0.1:6379/_SET',
    'data:text/plain,x',
    'javascript:alert(1)',
    'ws://public.test/',
    'http://user@public.test/',
    'http://user:password@public.test/',
    'http://public.test@127.0.0.1/',
    'http://127.0.0.1:80@public.test/',
    'http://[::1',
    'http://256.0.0.1/',
    'http://127.0.0.1:99999/',
    'http://0x100000000/',
    'http://[fe80::1%25eth0]/',
    'http://public.test%00.example.com/',
    'http://a b/',
  ])('%j is refused as a URL', async (url) => {
    expect(await failureOf(url)).toBe('invalid_url');
  });

  it.each(['http://unknown.test/', 'http://odd.test/', 'https://empty.test/'])('%s does not resolve', async (url) => {
    expect(await failureOf(url)).toBe('dns');
  });
});

describe('the guard', () => {
  const guard = (...allow: string[]) => new HostGuard(allow, lookup);

  it('returns every address of a public name, each of them checked', async () => {
    await expect(guard().resolve('public.test', 443)).resolves.toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:220:1::1', family: 6 },
    ]);
    await expect(guard().resolve('1.1.1.1', 8443)).resolves.toEqual([{ address: '1.1.1.1', family: 4 }]);
  });

  it('accepts an address that the operator allows, on the allowed port', async () => {
    await expect(guard('10.0.0.0/8').resolve('private.test', 22)).resolves.toHaveLength(1);
    await expect(guard('10.1.2.3:5432').resolve('private.test', 5432)).resolves.toHaveLength(1);
    await expect(guard('10.1.2.3:5432').resolve('private.test', 5433)).rejects.toMatchObject({
      reason: 'blocked',
      sent: false,
    });
    await expect(guard('10.2.0.0/16').resolve('private.test', 80)).rejects.toMatchObject({ reason: 'blocked' });
    await expect(guard('169.254.169.254').resolve('mapped.test', 80)).resolves.toHaveLength(1);
    await expect(guard('::1').resolve('::1', 80)).resolves.toHaveLength(1);
  });

  it('refuses internal names with public addresses, unless the address is on the list', async () => {
    await expect(guard('10.0.0.0/8').resolve('db.internal', 80)).rejects.toMatchObject({ reason: 'blocked' });
    await expect(guard('93.184.216.34').resolve('db.internal', 80)).resolves.toHaveLength(1);
  });

  it('refuses a name when only some of its addresses are on the list', async () => {
    await expect(guard('127.0.0.0/8:80').resolve('mixed6.test', 80)).rejects.toMatchObject({ reason: 'blocked' });
    await expect(guard('127.0.0.0/8:80').resolve('mixed.test', 80)).resolves.toHaveLength(2);
  });

  it('refuses a list that it cannot parse', () => {
    expect(() => guard('10.0.0.0/8', 'localhost')).toThrow(ConfigurationError);
  });

  it('allows the well-known ports of another protocol, but no private address', async () => {
    const guard = new HostGuard([], lookup);
    await expect(guard.resolve('public.test', 993)).rejects.toMatchObject({ reason: 'blocked' });
    await expect(guard.resolve('public.test', 993, [143, 993])).resolves.toHaveLength(2);
    await expect(guard.resolve('private.test', 993, [143, 993])).rejects.toMatchObject({ reason: 'blocked' });
  });
});
