import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';

export interface OwnAddress {
  url: string;
  /** Entry of EGRESS_ALLOW that permits calls to this address and port. */
  egressEntry: string;
}

/**
 * Derives the address of the service from the address at which it listens. A wildcard address becomes the loopback
 * address. Rejects if the host cannot be resolved.
 */
export async function ownAddress(host: string, port: number): Promise<OwnAddress> {
  const wildcard = host === '0.0.0.0' || host === '::';
  const { address } = wildcard ? { address: '127.0.0.1' } : await lookup(host);
  const place = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  return { url: `http://${place}`, egressEntry: place };
}
