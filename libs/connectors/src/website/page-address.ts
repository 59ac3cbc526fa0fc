import { matchesPath } from '../shared/path-patterns.js';

const TRACKING = /^(utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid)$/i;
const MAX_URL = 2_000;

/** Returns undefined if the text is not a web address or is too long. */
export function pageAddress(text: string, base?: string): string | undefined {
  if (!URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  url.hash = '';
  url.username = '';
  url.password = '';
  url.search = sortedQuery(url.search.slice(1));
  return url.href.length <= MAX_URL ? url.href : undefined;
}

/**
 * Sorts the parameters, but keeps the spelling of each. A site may distinguish `?a` from `?a=`, or use percent-encoding
 * that is not UTF-8.
 */
function sortedQuery(query: string): string {
  const parameters = query.split('&').map((text) => ({ name: text.split('=', 1)[0] ?? '', text }));
  const own = parameters.filter(({ name, text }) => text !== '' && !TRACKING.test(name));
  return own
    .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name))
    .map(({ text }) => text)
    .join('&');
}

export interface SiteRules {
  /** The hosts of the start pages, without `www.`. */
  hosts: ReadonlySet<string>;
  includePaths: readonly string[];
  excludePaths: readonly string[];
}

export function siteOf(url: string): string {
  return new URL(url).host.replace(/^www\./, '');
}

export function isWanted(url: string, { hosts, includePaths, excludePaths }: SiteRules): boolean {
  if (!hosts.has(siteOf(url))) return false;
  const { pathname } = new URL(url);
  if (matchesPath(pathname, excludePaths)) return false;
  return includePaths.length === 0 || matchesPath(pathname, includePaths);
}
