import type { JsonObject } from '@app/kernel';
import { invalidRequest, jsonShape } from '@app/platform/json-shape';

/** What the crawler of a site is told (contract, section 9). */
export type WebsiteConfig = {
  start_urls: string[];
  /** Prefixes of paths, `*` for anything; empty: everything on the site. */
  include_paths: string[];
  exclude_paths: string[];
  max_pages: number;
  /** Links away from a start page. */
  max_depth: number;
  respect_robots: boolean;
};

export type SitemapConfig = Omit<WebsiteConfig, 'start_urls' | 'max_depth'> & { sitemap_urls: string[] };

const URLS = { type: 'array', minItems: 1, maxItems: 100, items: { type: 'string', minLength: 1, maxLength: 2_000 } };
const PATHS = {
  type: 'array',
  maxItems: 200,
  default: [],
  items: { type: 'string', pattern: '^/', maxLength: 1_000 },
};
const LIMITS = {
  include_paths: PATHS,
  exclude_paths: PATHS,
  max_pages: { type: 'integer', minimum: 1, maximum: 100_000, default: 10_000 },
  respect_robots: { type: 'boolean', default: true },
};

export const WEBSITE_SHAPE = jsonShape<JsonObject>({
  type: 'object',
  additionalProperties: false,
  required: ['start_urls'],
  properties: { start_urls: URLS, ...LIMITS, max_depth: { type: 'integer', minimum: 0, maximum: 100, default: 20 } },
});

export const SITEMAP_SHAPE = jsonShape<JsonObject>({
  type: 'object',
  additionalProperties: false,
  required: ['sitemap_urls'],
  properties: { sitemap_urls: URLS, ...LIMITS },
});

/** @throws DomainError `invalid_request` */
export function checkWebsite(config: JsonObject, at: string): void {
  checkUrls((config as WebsiteConfig).start_urls, `${at}/start_urls`);
}

/** @throws DomainError `invalid_request` */
export function checkSitemap(config: JsonObject, at: string): void {
  checkUrls((config as SitemapConfig).sitemap_urls, `${at}/sitemap_urls`);
}

/** @throws DomainError `invalid_request` */
function checkUrls(urls: readonly string[], at: string): void {
  const errors = urls.flatMap((url, index) => (isWebUrl(url) ? [] : [wrongUrl(`${at}/${index}`)]));
  if (errors.length > 0) throw invalidRequest(errors);
}

/** Absolute, http or https, and without a user or password. */
export function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

export function wrongUrl(pointer: string): { pointer: string; detail: string } {
  return { pointer, detail: 'This must be an absolute http or https URL without a user or password.' };
}
