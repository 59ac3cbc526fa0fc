import { gunzipSync } from 'node:zlib';
import { type EgressClient, EgressError } from '@app/platform/egress';
import { XMLParser } from 'fast-xml-parser';
import { SourceError } from '../contract/source-error.js';
import { CRAWLER_HEADERS } from './robots-rules.js';

/** What a sitemap may be at most (sitemaps.org): 50 MB uncompressed. */
const LARGEST_SITEMAP = 50 * 1024 * 1024;
const MOST_SITEMAPS = 1_000;
const PAGES_AT_ONCE = 1_000;
/** Characters in which the last tag of a sitemap is. */
const ENDING_LENGTH = 4_000;

export interface SitemapReading {
  signal: AbortSignal;
  /** Told why not every page that sitemaps name is known. */
  onIncomplete: (error: { code: string; message: string }) => void;
  /** The source is more than its sitemaps: one that is not there is passed over. Without it everything fails the reading. */
  optional?: {
    /** Nobody has named the first one, so what is found there may be anything. */
    isGuess: boolean;
  };
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
    const { pages, sitemaps } = await contentsAt(egress, next, reading, next === url);
    for (const further of sitemaps) {
      if (known.has(further)) continue;
      if (known.size >= MOST_SITEMAPS) {
        reading.onIncomplete({
          code: 'too_many_sitemaps',
          message: `${url} leads to more than ${MOST_SITEMAPS} sitemaps.`,
        });
        break;
      }
      known.add(further);
      waiting.push(further);
    }
    for (let at = 0; at < pages.length; at += PAGES_AT_ONCE) yield pages.slice(at, at + PAGES_AT_ONCE);
  }
}

const NOTHING: Contents = { pages: [], sitemaps: [] };

async function contentsAt(
  egress: EgressClient,
  url: string,
  { signal, onIncomplete, optional }: SitemapReading,
  isFirst: boolean,
): Promise<Contents> {
  try {
    const { status, text } = await sitemapText(egress, url, signal);
    if (text !== undefined) return contentsOf(text, url) ?? (optional?.isGuess && isFirst ? NOTHING : noSitemap(url));
    if (optional && isNotThere(status)) return NOTHING;
    throw new SourceError('sitemap_unreadable', `${url} answers ${status}.`);
  } catch (error) {
    if (!optional || !(error instanceof SourceError)) throw error;
    onIncomplete({ code: 'sitemap_unreadable', message: error.message });
    return NOTHING;
  }
}

function isNotThere(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

function noSitemap(url: string): never {
  throw new SourceError('sitemap_unreadable', `${url} is no sitemap.`);
}

/** `text` undefined: it was answered without one. @throws SourceError */
async function sitemapText(
  egress: EgressClient,
  url: string,
  signal: AbortSignal,
): Promise<{ status: number; text?: string }> {
  const request = {
    url,
    headers: CRAWLER_HEADERS,
    redirect: 'follow',
    maxResponseBytes: LARGEST_SITEMAP,
    signal,
  } as const;
  try {
    const { status, body, truncated } = await egress.request(request);
    if (status >= 300) return { status };
    if (truncated) throw new SourceError('sitemap_unreadable', `${url} is larger than 50 MB.`);
    return { status, text: plain(body, url).toString('utf8') };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EgressError)) throw error;
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

interface Contents {
  pages: string[];
  sitemaps: string[];
}

/** Undefined: it is no sitemap. @throws SourceError where it breaks off: pages behind that are not gone */
function contentsOf(text: string, url: string): Contents | undefined {
  const parsed = parse(text);
  if (!parsed || (parsed.urlset === undefined && parsed.sitemapindex === undefined)) return undefined;
  if (!isWhole(text)) throw new SourceError('sitemap_unreadable', `${url} breaks off before its end.`);
  return { pages: locations(parsed.urlset?.url), sitemaps: locations(parsed.sitemapindex?.sitemap) };
}

/** The parser closes by itself what is open at the end. Plugins write comments behind the last tag. */
function isWhole(text: string): boolean {
  const ending = text.slice(-ENDING_LENGTH).replace(/<!--[^]*?-->/g, '').trimEnd(); // prettier-ignore
  return /<(\/([\w.-]+:)?(urlset|sitemapindex)\s*|([\w.-]+:)?(urlset|sitemapindex)\b[^<>]*\/)>$/.test(ending);
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
