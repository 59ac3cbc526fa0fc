import { gunzipSync } from 'node:zlib';
import { type EgressClient, EgressError } from '@app/platform/egress';
import { XMLParser } from 'fast-xml-parser';
import { SourceError } from '../contract/connector.js';
import { CRAWLER_HEADERS } from './robots-rules.js';

/** Maximum size of an uncompressed sitemap in bytes, as defined by sitemaps.org. */
const LARGEST_SITEMAP = 50 * 1024 * 1024;
const MOST_SITEMAPS = 1_000;
const PAGES_AT_ONCE = 1_000;
/** Number of characters at the end of a sitemap in which the last tag is searched. */
const TAIL_LENGTH = 4_000;

export interface SitemapReading {
  signal: AbortSignal;
  /** Called with the reason if not all pages of the sitemaps are known. */
  onIncomplete: (error: { code: string; message: string }) => void;
  /**
   * Set if the sitemaps only add pages to a crawl. A missing sitemap is then skipped, and any other error is passed to
   * `onIncomplete`. If undefined, every error is thrown.
   */
  optional?: {
    /** True if the address of the first sitemap is a guess, so that the response may be any document. */
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
 * Yields the pages of a sitemap and of the sitemaps to which it refers (sitemaps.org), in batches.
 * @throws SourceError if a sitemap cannot be read, unless the sitemaps are `optional`
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
          message: `${url} leads to more than ${MOST_SITEMAPS} sitemaps. The others were not read.`,
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
    throw new SourceError('sitemap_unreadable', `${url} responded with HTTP status ${status}.`);
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
  throw new SourceError('sitemap_unreadable', `${url} is not a sitemap.`);
}

/**
 * Requests a sitemap. `text` is undefined if the status is not a success.
 * @throws SourceError
 */
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

/** Decompresses a gzip file such as `sitemap.xml.gz`, which has no Content-Encoding. */
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

/**
 * Parses a sitemap. Returns undefined if the text is not a sitemap.
 * @throws SourceError if the sitemap is truncated, because the missing pages must not be deleted
 */
function contentsOf(text: string, url: string): Contents | undefined {
  const parsed = parse(text);
  if (!parsed || (parsed.urlset === undefined && parsed.sitemapindex === undefined)) return undefined;
  if (!isWhole(text)) throw new SourceError('sitemap_unreadable', `${url} is truncated.`);
  return { pages: locations(parsed.urlset?.url), sitemaps: locations(parsed.sitemapindex?.sitemap) };
}

/**
 * Whether the sitemap is complete. Checks the last tag, because the parser accepts truncated text. Some plugins write
 * comments after the last tag.
 */
function isWhole(text: string): boolean {
  const tail = text.slice(-TAIL_LENGTH);
  const lastTags = tail.replace(/<!--[^]*?-->/g, '').trimEnd();
  return /<(\/([\w.-]+:)?(urlset|sitemapindex)\s*|([\w.-]+:)?(urlset|sitemapindex)\b[^<>]*\/)>$/.test(lastTags);
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
