import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { ConfigurationError } from '@app/platform/config';
import { type EgressAllowEntry, parseEgressAllowEntry } from './egress-allow-entry.js';
import { EgressError } from './egress-error.js';
import { effectiveAddress, isPublicAddress } from './public-address.js';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** All addresses of a name. Default: the operating system's resolver, so that /etc/hosts and search domains count. */
export type Lookup = (hostname: string) => Promise<readonly { address: string }[]>;

/**
 * Decides which addresses the service may connect to: public ones, and those that the operator listed in EGRESS_ALLOW.
 * For other protocols than HTTP too: resolve here, then connect to the address that came back, never to the name again.
 */
export class HostGuard {
  private readonly allowed: readonly EgressAllowEntry[];
  private readonly trusted: ReadonlySet<string>;

  /** `allow` as in EGRESS_ALLOW. An entry that cannot be read throws a ConfigurationError. */
  constructor(
    readonly allow: readonly string[],
    private readonly lookup: Lookup = (hostname) => systemLookup(hostname, { all: true, verbatim: true }),
    /** Origins whose hosts are reached whatever their addresses are. */
    trustedOrigins: readonly string[] = [],
  ) {
    this.trusted = new Set(trustedOrigins.map((origin) => placeOf(new URL(origin))));
    this.allowed = allow.map((entry) => {
      const parsed = parseEgressAllowEntry(entry);
      if (!parsed) throw new ConfigurationError([`EGRESS_ALLOW: ${JSON.stringify(entry)} is not CIDR[:port].`]);
      return parsed;
    });
  }

  /**
   * The addresses behind a host name or IP literal (IPv6 without brackets), every one of them vetted for `port`.
   * Throws EgressError `blocked` when any of them is refused (a name with a public and a private address is an attack
   * or a mistake), and `dns` when the name has none. Nothing has been sent then.
   * @param wellKnown ports below 1024 that the caller's protocol is spoken on; default those of HTTP
   */
  async resolve(hostname: string, port: number, wellKnown: readonly number[] = [80, 443]): Promise<ResolvedAddress[]> {
    const addresses = isIP(hostname) ? [hostname] : await this.addressesOf(hostname);
    return addresses.map((address) => {
      if (!this.trusted.has(`${hostname.toLowerCase()}:${port}`)) this.vet(hostname, address, port, wellKnown);
      return { address, family: isIP(address) === 4 ? 4 : 6 };
    });
  }

  /** Whether the operator has listed every address of the host for `port`. Never throws; a name without an address is not listed. */
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
      new EgressError('blocked', `${hostname} is refused: ${why}. The operator can allow it with EGRESS_ALLOW.`, {
        sent: false,
      });
    if (isInternalName(hostname)) throw refuse('names like this are internal');
    if (!isPublicAddress(address))
      throw refuse(hostname === text ? 'the address is not public' : 'it has an address that is not public');
    // Below 1024 live mail, remote shells and name servers, which can be spoken to in the disguise of HTTP.
    if (port < 1024 && !wellKnown.includes(port))
      throw refuse(`port ${port} is not one of ${wellKnown.join(', ')} and 1024 to 65535`);
  }
}

function placeOf({ protocol, hostname, port }: URL): string {
  return `${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

function covers(entry: EgressAllowEntry, address: ReturnType<typeof effectiveAddress>, port: number): boolean {
  if (entry.port !== undefined && entry.port !== port) return false;
  return entry.network.kind() === address.kind() && address.match(entry.network, entry.prefixLength);
}

/** Names that mean this machine or the inside of a network, whatever address a resolver gives for them today. */
function isInternalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.+$/, '');
  return /(^|\.)(localhost|internal)$/.test(name);
}
