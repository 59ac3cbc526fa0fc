import { type ConfigOf, defineConfig, setting } from '@app/platform/config';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface EgressAllowEntry {
  network: ipaddr.IPv4 | ipaddr.IPv6;
  prefixLength: number;
  /** Undefined allows every port. */
  port: number | undefined;
}

const BRACKETED = /^\[([0-9a-f:.]+)\](?:\/(\d{1,3}))?(?::(\d{1,5}))?$/i;
const IPV4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2}))?(?::(\d{1,5}))?$/;
const IPV6 = /^([0-9a-f:.]*:[0-9a-f:.]*)(?:\/(\d{1,3})(?::(\d{1,5}))?)?$/i;

/**
 * Also returns undefined for a network with host bits set (`10.0.0.1/8`). Such an entry is usually a typing error and
 * would allow more addresses than intended.
 */
export function parseEgressAllowEntry(text: string): EgressAllowEntry | undefined {
  const match = IPV4.exec(text) ?? BRACKETED.exec(text) ?? IPV6.exec(text);
  const address = match?.[1];
  if (!address || isIP(address) === 0) return undefined;
  const network = ipaddr.parse(address);
  const bits = network.kind() === 'ipv4' ? 32 : 128;
  const prefixLength = match[2] === undefined ? bits : Number(match[2]);
  const port = match[3] === undefined ? undefined : Number(match[3]);
  if (prefixLength > bits || port === 0 || (port ?? 1) > 65_535) return undefined;
  return hasHostBits(network.toByteArray(), prefixLength) ? undefined : { network, prefixLength, port };
}

function hasHostBits(bytes: readonly number[], prefixLength: number): boolean {
  return bytes.some((byte, index) => {
    const networkBits = Math.min(8, Math.max(0, prefixLength - index * 8));
    return (byte & (0xff >> networkBits)) !== 0;
  });
}

export const egressConfig = defineConfig({
  title: 'Outbound network',
  readBy: ['api', 'worker', 'npm start'],
  settings: {
    egressAllow: setting.list('EGRESS_ALLOW', {
      accepts: (entry) => parseEgressAllowEntry(entry) !== undefined,
      allowed: 'networks such as 10.0.0.0/8 or 127.0.0.1:8080, separated by commas',
      defaultNote: 'public addresses only',
      description:
        'Private networks to which tools, connectors and event endpoints may connect, as CIDR with an optional ' +
        'port: `10.0.0.0/8`, `127.0.0.1:8080`, `fd00::/8:443`.',
    }),
  },
});
export type EgressConfig = ConfigOf<typeof egressConfig>;

/**
 * Receivers of events are more often slow than tools, so this is four times the default of WORKER_CONCURRENCY. A
 * waiting request needs only a socket and little memory.
 */
export const DELIVERY_CONCURRENCY = 64;
