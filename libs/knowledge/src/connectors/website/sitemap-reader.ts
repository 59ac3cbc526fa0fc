import { gunzipSync } from 'node:zlib';
import { type EgressClient, EgressError } from '@app/platform/egress';
import { XMLParser } from 'fast-xml-parser';
import { SourceError } from '../source-error.js';
import { CRAWLER_HEADERS } from './robots-rules.js';

/** What a sitemap may be at most (sitemaps.org): 50 MB uncompressed. */
const LARGEST_SITEMAP = 50 * 1024 * 1024;
const MOST_SITEMAPS = 1_000;
const PAGES_AT_ONCE = 1_000;

export interface SitemapReading {
  signal: AbortSignal;
  /** One that is not there or cannot be read is passed over. */
  isOptional: boolean;
}

const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  processEntities: true,
  parseTagValue: false,
  isArray: (name) => name === 'url' || name === 'sitemap',
});

/**
 * The pages that a sitemap names, and the sitemaps that it names (sitemaps.org), in portions.
 * @throws SourceError where one cannot be read
 */
export async function* readSitemap(
  egress: EgressClient,
  url: string,
  reading: SitemapReading,
): AsyncGenerator<string[]> {
  const waiting = [url];
  const known = new Set(waiting);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const text = await sitemapText(egress, next, reading);
    if (text === undefined) continue;
    const { pages, sitemaps } = contentsOf(text, next, reading.isOptional);
    for (const further of sitemaps) {
      if (known.has(further) || known.size >= MOST_SITEMAPS) continue;
      known.add(further);
      waiting.push(further);
    }
    for (let at = 0; at < pages.length; at += PAGES_AT_ONCE) yield pages.slice(at, at + PAGES_AT_ONCE);
  }
}

async function sitemapText(
  egress: EgressClient,
  url: string,
  { signal, isOptional }: SitemapReading,
): Promise<string | undefined> {
  const request = {
    url,
    headers: CRAWLER_HEADERS,
    redirect: 'follow',
    maxResponseBytes: LARGEST_SITEMAP,
    signal,
  } as const;
  try {
    const { status, body, truncated } = await egress.request(request);
    if (status < 300 && !truncated) return plain(body, url).toString('utf8');
    if (isOptional) return undefined;
    throw new SourceError(
      'sitemap_unreadable',
      truncated ? `${url} is larger than 50 MB.` : `${url} answers ${status}.`,
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EgressError)) throw error;
    if (isOptional) return undefined;
    throw new SourceError('site_unreachable', `${url} cannot be reached: ${error.message}`, { cause: error });
  }
}

/** `sitemap.xml.gz` is a compressed file, not a compressed answer. */
function plain(body: Buffer, url: string): Buffer {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  try {
    return gunzipSync(body, { maxOutputLength: LARGEST_SITEMAP });
  } catch (cause) {
    throw new SourceError('sitemap_unreadable', `${url} is damaged, or larger than 50 MB.`, { cause });
  }
}

interface Parsed {
  urlset?: { url?: { loc?: unknown }[] };
  sitemapindex?: { sitemap?: { loc?: unknown }[] };
}

function contentsOf(text: string, url: string, isOptional: boolean): { pages: string[]; sitemaps: string[] } {
  const parsed = parse(text);
  if (!parsed || (parsed.urlset === undefined && parsed.sitemapindex === undefined)) {
    if (isOptional) return { pages: [], sitemaps: [] };
    throw new SourceError('sitemap_unreadable', `${url} is no sitemap.`);
  }
  return { pages: locations(parsed.urlset?.url), sitemaps: locations(parsed.sitemapindex?.sitemap) };
}

function parse(text: string): Parsed | undefined {
  try {
    return parser.parse(text) as Parsed;
  } catch {
    return undefined;
  }
}

function locations(entries: { loc?: unknown }[] | undefined): string[] {
  return (entries ?? []).flatMap(({ loc }) =>
    typeof loc === 'string' && URL.canParse(loc.trim()) ? [loc.trim()] : [],
  );
}
