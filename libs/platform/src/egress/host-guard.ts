import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { ConfigurationError } from '@app/platform/config';
import { type EgressAllowEntry, parseEgressAllowEntry } from './egress.config.js';
import { EgressError } from './egress-error.js';
import { effectiveAddress, isPublicAddress } from './public-address.js';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

export type Lookup = (hostname: string) => Promise<readonly { address: string }[]>;

/** Clients of protocols other than HTTP resolve a name here and connect to the returned address, never to the name. */
export class HostGuard {
  private readonly allowed: readonly EgressAllowEntry[];
  private readonly trusted: ReadonlySet<string>;

  constructor(
    readonly allow: readonly string[],
    private readonly lookup: Lookup = (hostname) => systemLookup(hostname, { all: true, verbatim: true }),
    trustedOrigins: readonly string[] = [],
  ) {
    this.trusted = new Set(trustedOrigins.map((origin) => hostAndPort(new URL(origin))));
    this.allowed = allow.map((entry) => {
      const parsed = parseEgressAllowEntry(entry);
      if (!parsed)
        throw new ConfigurationError([
          `EGRESS_ALLOW: ${JSON.stringify(entry)} is not a network in CIDR form with an optional port, such as 10.0.0.0/8 or 127.0.0.1:8080.`,
        ]);
      return parsed;
    });
  }

  /**
   * Each address has been checked for `port`.
   * @throws EgressError with `sent: false`: `dns` if the name has no address, `blocked` if any address is not allowed.
   * A name with both a public and a private address is an attack or a mistake, so it is blocked.
   */
  async resolve(hostname: string, port: number, wellKnown: readonly number[] = [80, 443]): Promise<ResolvedAddress[]> {
    const addresses = isIP(hostname) ? [hostname] : await this.addressesOf(hostname);
    return addresses.map((address) => {
      if (!this.trusted.has(`${hostname.toLowerCase()}:${port}`)) this.vet(hostname, address, port, wellKnown);
      return { address, family: isIP(address) === 4 ? 4 : 6 };
    });
  }

  /** False for a name that does not resolve. */
  async isListed(hostname: string, port: number): Promise<boolean> {
    const addresses = isIP(hostname) ? [hostname] : await this.addressesOf(hostname).catch(() => []);
    return addresses.length > 0 && addresses.every((text) => this.lists(effectiveAddress(text), port));
  }

  private lists(address: ReturnType<typeof effectiveAddress>, port: number): boolean {
    return this.allowed.some((entry) => covers(entry, address, port));
  }

  private async addressesOf(hostname: string): Promise<string[]> {
    let answer: readonly { address: string }[];
    try {
      answer = await this.lookup(hostname);
    } catch (cause) {
      throw new EgressError('dns', `The name ${hostname} cannot be resolved.`, { sent: false, cause });
    }
    const addresses = answer.map(({ address }) => address).filter((address) => isIP(address) !== 0);
    if (addresses.length > 0) return addresses;
    throw new EgressError('dns', `The name ${hostname} has no address.`, { sent: false });
  }

  private vet(hostname: string, text: string, port: number, wellKnown: readonly number[]): void {
    const address = effectiveAddress(text);
    if (this.lists(address, port)) return;
    const refuse = (why: string) =>
      new EgressError(
        'blocked',
        `The service does not connect to ${hostname}: ${why}. The operator can allow it with EGRESS_ALLOW.`,
        {
          sent: false,
        },
      );
    if (isInternalName(hostname)) throw refuse('the name is internal');
    if (!isPublicAddress(address))
      throw refuse(hostname === text ? 'the address is not public' : 'it has an address that is not public');
    // Servers for mail, remote shells and name resolution listen on ports below 1024. A crafted HTTP request can attack
    // them.
    if (port < 1024 && !wellKnown.includes(port))
      throw refuse(`port ${port} is neither ${wellKnown.join(', ')} nor between 1024 and 65535`);
  }
}

function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

function covers(entry: EgressAllowEntry, address: ReturnType<typeof effectiveAddress>, port: number): boolean {
  if (entry.port !== undefined && entry.port !== port) return false;
  return entry.network.kind() === address.kind() && address.match(entry.network, entry.prefixLength);
}

/** An internal name is blocked even if it resolves to a public address. */
function isInternalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.+$/, '');
  return /(^|\.)(localhost|internal)$/.test(name);
}
