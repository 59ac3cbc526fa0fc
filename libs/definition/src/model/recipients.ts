/**
 * Matches one address without a display name. Excludes characters that have a meaning in a list of addresses or in a
 * display name.
 */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()[\]\\,;:"/?#*\p{Cc}]{1,190}$/u;

const ANYONE = '*';
const SUBDOMAINS = '*.';

export function isBareAddress(text: string): boolean {
  return ADDRESS.test(text) && domainOf(text) !== undefined;
}

/** Whether an entry of `allowed_recipients` is an address, `*@example.com`, `*@*.example.com` or `*`. */
export function isRecipientPattern(entry: string): boolean {
  if (entry === ANYONE) return true;
  const [local, domain] = split(entry);
  const name = domain.startsWith(SUBDOMAINS) ? domain.slice(SUBDOMAINS.length) : domain;
  if (domain.startsWith(SUBDOMAINS) && (local !== ANYONE || !name.includes('.'))) return false;
  return isBareAddress(`${local === ANYONE ? 'x' : local}@${name}`);
}

export function allowsRecipient(entries: readonly string[], address: string): boolean {
  return entries.some((entry) => coversRecipient(entry, address));
}

export function coversRecipient(wide: string, narrow: string): boolean {
  if (wide === ANYONE) return true;
  if (narrow === ANYONE) return false;
  const [[local, domain], [otherLocal, otherDomain]] = [parsed(wide), parsed(narrow)];
  if (local !== ANYONE) return local === otherLocal && domain === otherDomain;
  if (!domain.startsWith(SUBDOMAINS)) return domain === otherDomain;
  return otherDomain === domain || otherDomain.endsWith(domain.slice(1));
}

function parsed(entry: string): [local: string, domain: string] {
  const [local, domain] = split(entry.toLowerCase());
  const prefix = domain.startsWith(SUBDOMAINS) ? SUBDOMAINS : '';
  return [local, prefix + (domainOf(`x@${domain.slice(prefix.length)}`) ?? domain.slice(prefix.length))];
}

function domainOf(address: string): string | undefined {
  const [, domain] = split(address);
  return URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : undefined;
}

function split(address: string): [local: string, domain: string] {
  const at = address.lastIndexOf('@');
  if (at < 0) return ['', address];
  return [address.slice(0, at), address.slice(at + 1)];
}
