import { gunzipSync } from 'node:zlib';
import { type EgressClient, EgressError } from '@app/platform/egress';
import { decodeText } from '@app/platform/text';
import { XMLParser } from 'fast-xml-parser';
import { SourceError } from '../contract/connector.js';
import { CRAWLER_HEADERS } from './robots-rules.js';

/** Maximum size of an uncompressed sitemap in bytes, as defined by sitemaps.org. */
const MAX_SITEMAP = 50 * 1024 * 1024;
const MAX_SITEMAPS = 1_000;
const PAGES_AT_ONCE = 1_000;
const TAIL_LENGTH = 4_000;

export interface SitemapReading {
  signal: AbortSignal;
  onIncomplete: (error: { code: string; message: string }) => void;
  /**
   * A missing sitemap is then skipped, and any other error is passed to `onIncomplete`. If undefined, every error is
   * thrown.
   */
  optional?: {
    /** True if the address of the first sitemap is a guess, so that the response may be any document. */
    isGuess: boolean;
  };
}

const LISTS = new Set(['url', 'sitemap', 'item', 'entry', 'link']);
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  alwaysCreateTextNode: true,
  removeNSPrefix: true,
  processEntities: true,
  parseTagValue: false,
  isArray: (name) => LISTS.has(name),
});

/**
 * Reads the formats of sitemaps.org: XML, RSS 2.0, RSS 1.0, Atom, and text files with one address in each line.
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
      if (known.size >= MAX_SITEMAPS) {
        reading.onIncomplete({
          code: 'too_many_sitemaps',
          message: `${url} leads to more than ${MAX_SITEMAPS} sitemaps. The others were not read.`,
        });
        break;
      }
      known.add(further);
      waiting.push(further);
    }
    for (let at = 0; at < pages.length; at += PAGES_AT_ONCE) yield pages.slice(at, at + PAGES_AT_ONCE);
  }
}

const NOTHING: Contents = { pages: [], sitemaps: [], unusable: 0 };

function unusable(count: number, url: string): { code: string; message: string } {
  return {
    code: 'sitemap_unreadable',
    message: `${url} lists entries without a valid address. Their number is ${count}.`,
  };
}

async function contentsAt(
  egress: EgressClient,
  url: string,
  { signal, onIncomplete, optional }: SitemapReading,
  isFirst: boolean,
): Promise<Contents> {
  try {
    const { status, text } = await sitemapText(egress, url, signal);
    if (text !== undefined) {
      const contents = contentsOf(text, url);
      if (!contents) return optional?.isGuess && isFirst ? NOTHING : noSitemap(url);
      if (contents.unusable > 0) onIncomplete(unusable(contents.unusable, url));
      return contents;
    }
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
  throw new SourceError(
    'sitemap_unreadable',
    `${url} is not a sitemap. Supported formats: XML, RSS, Atom, and text with one URL in each line.`,
  );
}

async function sitemapText(
  egress: EgressClient,
  url: string,
  signal: AbortSignal,
): Promise<{ status: number; text?: string }> {
  const request = {
    url,
    headers: CRAWLER_HEADERS,
    redirect: 'follow',
    maxResponseBytes: MAX_SITEMAP,
    signal,
  } as const;
  try {
    const { status, headers, body, truncated } = await egress.request(request);
    if (status >= 300) return { status };
    if (truncated) throw new SourceError('sitemap_unreadable', `${url} is larger than 50 MB.`);
    return { status, text: textOf(plain(body, url), headers['content-type']) };
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
    return gunzipSync(body, { maxOutputLength: MAX_SITEMAP });
  } catch (cause) {
    throw new SourceError('sitemap_unreadable', `${url} is damaged, or larger than 50 MB.`, { cause });
  }
}

/** The type of a file such as `sitemap.xml.gz` describes the compressed bytes, so it names no encoding. */
function textOf(bytes: Buffer, contentType = ''): string {
  return decodeText(bytes, { contentType, isMarkup: true }).text;
}

type Text = { '#text'?: unknown } | undefined;
type Link = { '#text'?: unknown; '@href'?: unknown; '@rel'?: unknown };
interface Parsed {
  urlset?: { url?: { loc?: Text }[] };
  sitemapindex?: { sitemap?: { loc?: Text }[] };
  rss?: { channel?: { item?: { link?: Link[] }[] } };
  RDF?: { item?: { link?: Link[] }[] };
  feed?: { entry?: { link?: Link[] }[] };
}

interface Contents {
  pages: string[];
  sitemaps: string[];
  unusable: number;
}

/** @throws SourceError if the sitemap is truncated, because the missing pages must not be deleted */
function contentsOf(text: string, url: string): Contents | undefined {
  if (!/^\s*</.test(text)) return listOf(text, url);
  const parsed = parse(text);
  const root = ROOTS.find((name) => parsed?.[name] !== undefined);
  if (!parsed || root === undefined) return undefined;
  if (!isWhole(text)) throw new SourceError('sitemap_unreadable', `${url} is truncated.`);
  const locations = (entries: { loc?: Text }[] = []): unknown[] => entries.map(({ loc }) => loc?.['#text']);
  const feed = [...(parsed.rss?.channel?.item ?? []), ...(parsed.RDF?.item ?? []), ...(parsed.feed?.entry ?? [])];
  const pages = addresses([...locations(parsed.urlset?.url), ...feed.map(({ link }) => pageOf(link ?? []))], url);
  const sitemaps = addresses(locations(parsed.sitemapindex?.sitemap), url);
  return { pages: pages.valid, sitemaps: sitemaps.valid, unusable: pages.invalid + sitemaps.invalid };
}

const ROOTS = ['urlset', 'sitemapindex', 'rss', 'RDF', 'feed'] as const;

function pageOf(links: readonly Link[]): unknown {
  const text = links.map((link) => link['#text']).find((each) => typeof each === 'string' && each.trim() !== '');
  return text ?? links.find((link) => link['@rel'] === undefined || link['@rel'] === 'alternate')?.['@href'];
}

function listOf(text: string, url: string): Contents | undefined {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim()).filter(Boolean); // prettier-ignore
  if (!/^https?:\/\/\S+$/i.test(lines[0] ?? '')) return undefined;
  const { valid, invalid } = addresses(lines, url);
  return { pages: valid, sitemaps: [], unusable: invalid };
}

function addresses(given: readonly unknown[], base: string): { valid: string[]; invalid: number } {
  const valid = given.flatMap((each) => {
    const text = typeof each === 'string' ? each.trim() : '';
    if (text === '' || (/\s/.test(text) && !URL.canParse(text)) || !URL.canParse(text, base)) return [];
    const { href, protocol } = new URL(text, base);
    return protocol === 'http:' || protocol === 'https:' ? [href] : [];
  });
  return { valid, invalid: given.length - valid.length };
}

/** Checks the last tag, because the parser accepts truncated text. Some plugins write comments after the last tag. */
function isWhole(text: string): boolean {
  const tail = text.slice(-TAIL_LENGTH);
  const lastTags = tail.replace(/<!--[^]*?-->/g, '').trimEnd();
  return /<(\/([\w.-]+:)?(urlset|sitemapindex|rss|RDF|feed)\s*|([\w.-]+:)?(urlset|sitemapindex)\b[^<>]*\/)>$/.test(
    lastTags,
  );
}

function parse(text: string): Parsed | undefined {
  try {
    return parser.parse(text) as Parsed;
  } catch {
    return undefined;
  }
}
