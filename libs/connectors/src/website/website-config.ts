import { invalidRequest } from '@app/platform/json-shape';
import { type ConfigRules, isWebUrl, wrongUrl } from '../contract/connector.js';

export type WebsiteConfig = {
  start_urls: string[];
  /** If the list is empty, all paths of the site are read. */
  include_paths: string[];
  exclude_paths: string[];
  max_pages: number;
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
  include_paths: {
    ...PATHS,
    title: 'Only these paths',
    description: 'Beginnings of paths, for example /docs. * matches any text. If empty, all paths are read.',
  },
  exclude_paths: { ...PATHS, title: 'Not these paths', description: 'Beginnings of paths, for example /blog.' },
  max_pages: { type: 'integer', minimum: 1, maximum: 100_000, default: 10_000, title: 'Maximum number of pages' },
  respect_robots: {
    type: 'boolean',
    default: true,
    title: 'Obey robots.txt',
    description: 'Switch it off only with the permission of the owner of the site.',
  },
};

export const WEBSITE_CONFIG: ConfigRules<WebsiteConfig> = {
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['start_urls'],
    properties: {
      start_urls: {
        ...URLS,
        title: 'Start pages',
        description: 'Addresses at which the reading starts, for example https://docs.example.com/.',
      },
      ...LIMITS,
      max_depth: {
        type: 'integer',
        minimum: 0,
        maximum: 100,
        default: 20,
        title: 'Maximum depth',
        description: 'Number of links between a start page and the last page that is read.',
      },
    },
  },
  check: ({ start_urls }, at) => checkUrls(start_urls, `${at}/start_urls`),
};

export const SITEMAP_CONFIG: ConfigRules<SitemapConfig> = {
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['sitemap_urls'],
    properties: {
      sitemap_urls: {
        ...URLS,
        title: 'Sitemaps',
        description: 'Addresses of sitemaps, for example https://docs.example.com/sitemap.xml.',
      },
      ...LIMITS,
    },
  },
  check: ({ sitemap_urls }, at) => checkUrls(sitemap_urls, `${at}/sitemap_urls`),
};

function checkUrls(urls: readonly string[], at: string): void {
  const errors = urls.flatMap((url, index) => (isWebUrl(url) ? [] : [wrongUrl(`${at}/${index}`)]));
  if (errors.length > 0) throw invalidRequest(errors);
}
