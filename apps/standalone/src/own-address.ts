import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';

/** How the service is reached from this machine. */
export interface OwnAddress {
  /** `http://127.0.0.1:3000` */
  url: string;
  /** The same as an entry of EGRESS_ALLOW: this one address and port. */
  egressEntry: string;
}

/** From the address it listens on; the wildcard addresses stand for the loopback address. Rejects where the name has no address. */
export async function ownAddress(host: string, port: number): Promise<OwnAddress> {
  const wildcard = host === '0.0.0.0' || host === '::';
  const { address } = wildcard ? { address: '127.0.0.1' } : await lookup(host);
  const place = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  return { url: `http://${place}`, egressEntry: place };
}
