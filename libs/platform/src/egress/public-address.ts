import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const SPECIAL_IPV4 = [
  '0.0.0.0/8', // "this network" (RFC 1122)
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and the metadata service of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and the broadcast address
].map((cidr) => ipaddr.IPv4.parseCIDR(cidr));

/** All IPv6 addresses that are publicly routed. Loopback, ULA and NAT64 are outside of this network. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments, with Teredo, ORCHID and benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: contains an IPv4 address that may be private
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map((cidr) => ipaddr.IPv6.parseCIDR(cidr));

/** An IPv4 address that is written as IPv6 (`::ffff:127.0.0.1`) becomes the IPv4 address. */
export function effectiveAddress(text: string): Address {
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

export function isPublicAddress(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return !SPECIAL_IPV4.some((network) => address.match(network));
  return address.match(GLOBAL_IPV6) && !SPECIAL_IPV6.some((network) => address.match(network));
}
