/** An entry of `allowed_hosts`: a host, or every name below a domain. Without a port, every port is allowed. */
export interface AllowedHost {
  /** The host in the form of a parsed URL: lower case, Punycode, IP addresses in their shortest form. */
  readonly name: string;
  /** True for `*.example.net`, which allows every name below `example.net`, but not `example.net` itself. */
  readonly isWildcard: boolean;
  readonly port: number | null;
}

const WILDCARD = '*.';
const ENTRY = /^(?<host>\[[^\]]+\]|[^:[\]]+)(?::(?<port>[0-9]{1,5}))?$/;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Parses `api.example.com`, `*.example.net:8443`, `10.0.0.1` or `[::1]:8080`. Returns undefined for anything else. */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  const isAddress6 = /^[0-9a-f.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text);
  const { host, port } = ENTRY.exec(isAddress6 ? `[${text}]` : text)?.groups ?? {};
  if (host === undefined) return undefined;
  const isWildcard = host.startsWith(WILDCARD);
  const name = parsedName(isWildcard ? host.slice(WILDCARD.length) : host);
  const number = port === undefined ? null : Number(port);
  if (name === undefined || number === 0 || (number ?? 0) > 65_535) return undefined;
  if (isWildcard && (!name.includes('.') || isAddress(name))) return undefined;
  return { name, isWildcard, port: number };
}

export function allowsUrl(hosts: readonly AllowedHost[], url: URL): boolean {
  const [name, port] = [withoutDot(url.hostname), Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 0)];
  return hosts.some((host) => covers(host, { name, isWildcard: false, port }));
}

export function covers(wide: AllowedHost, narrow: AllowedHost): boolean {
  if (wide.port !== null && wide.port !== narrow.port) return false;
  if (!wide.isWildcard) return !narrow.isWildcard && wide.name === narrow.name;
  return narrow.name.endsWith(`.${wide.name}`) || (narrow.isWildcard && narrow.name === wide.name);
}

export function hostText(url: URL): string {
  const name = withoutDot(url.hostname);
  return url.port === '' ? name : `${name}:${url.port}`;
}

function parsedName(host: string): string | undefined {
  if (/[\s/\\?#@%*]/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  const name = withoutDot(new URL(`http://${host}`).hostname);
  return name === '' ? undefined : name;
}

function isAddress(name: string): boolean {
  return name.startsWith('[') || /^[0-9.]+$/.test(name);
}

/** `example.com.` and `example.com` are the same host. */
function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}
