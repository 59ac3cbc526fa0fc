import { parseEgressAllowEntry } from '@app/platform/egress';

import { ownAddress } from './service-port.js';

describe("the service's own address", () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['0.0.0.0', 'http://127.0.0.1:3000'],
    ['::', 'http://127.0.0.1:3000'],
    ['::1', 'http://[::1]:3000'],
  ])('of a service that listens on %s is %s', async (host, url) => {
    expect(await ownAddress(host, 3000)).toMatchObject({ url });
  });

  it.each(['127.0.0.1', '::1'])('opens nothing but that address and port to outbound calls: %s', async (host) => {
    const entry = parseEgressAllowEntry((await ownAddress(host, 3000)).egressEntry);
    expect(entry).toMatchObject({ port: 3000, prefixLength: host === '::1' ? 128 : 32 });
  });
});
