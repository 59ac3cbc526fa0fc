import {
  type Connector,
  connectorKind,
  type ConnectorTools,
  type ItemBatch,
  type SourceVisit,
} from '../contract/connector.js';
import { SourceError } from '../contract/connector.js';
import { pageAddress, siteOf } from './page-address.js';
import { PageFetcher } from './page-fetcher.js';
import { RobotsRules } from './robots-rules.js';
import { type CrawlPlan, SiteCrawl } from './site-crawl.js';
import { readSitemap, type SitemapReading } from './sitemap-reader.js';
import { SITEMAP_CONFIG, type SitemapConfig, WEBSITE_CONFIG, type WebsiteConfig } from './website-config.js';

type CrawlConfig = Omit<WebsiteConfig, 'start_urls' | 'max_depth'>;

const REQUESTS_AT_ONCE = 4;

interface OpenCrawl {
  robots: RobotsRules;
  crawl: SiteCrawl;
}

function openCrawl(
  { egress, clock }: ConnectorTools,
  visit: SourceVisit,
  config: CrawlConfig,
  reach: Pick<CrawlPlan, 'maxDepth' | 'isListed'>,
): OpenCrawl {
  const robots = new RobotsRules(egress, config.respect_robots, visit.signal);
  const rules = { hosts: new Set<string>(), includePaths: config.include_paths, excludePaths: config.exclude_paths };
  const plan = { rules, maxPages: config.max_pages, ...reach };
  const fetcher = new PageFetcher(egress, robots, clock, visit.signal);
  return { robots, crawl: new SiteCrawl(visit, plan, fetcher, robots) };
}

class WebsiteConnector implements Connector {
  readonly parallelism = REQUESTS_AT_ONCE;
  readonly isAuthoritative = false;

  constructor(private readonly tools: ConnectorTools) {}

  async *enumerate(visit: SourceVisit): AsyncGenerator<ItemBatch> {
    const config = visit.config as WebsiteConfig;
    const { robots, crawl } = openCrawl(this.tools, visit, config, { maxDepth: config.max_depth, isListed: false });
    const starts = config.start_urls.flatMap((url) => pageAddress(url) ?? []);
    if ((await crawl.addStartPages(starts)) === 0) throw refusedByRobots(starts);
    yield* crawl.startPages();
    if (config.max_depth > 0) await this.addSitemaps(visit, crawl, robots, starts);
    yield* crawl.batches();
  }

  /** A missing sitemap is skipped. If a sitemap cannot be read, nothing is deleted. */
  private async addSitemaps(
    visit: SourceVisit,
    crawl: SiteCrawl,
    robots: RobotsRules,
    starts: readonly string[],
  ): Promise<void> {
    const sites = new Map(starts.map((url) => [siteOf(url), url]));
    for (const start of sites.values()) {
      const named = await robots.sitemaps(start);
      const isGuess = named.length === 0;
      const reading = { ...readingOf(visit), optional: { isGuess } };
      for (const url of isGuess ? [new URL('/sitemap.xml', start).href] : named) {
        for await (const pages of readSitemap(this.tools.egress, url, reading)) await crawl.addPages(pages, 1);
      }
    }
  }
}

class SitemapConnector implements Connector {
  readonly parallelism = REQUESTS_AT_ONCE;
  readonly isAuthoritative = false;

  constructor(private readonly tools: ConnectorTools) {}

  async *enumerate(visit: SourceVisit): AsyncGenerator<ItemBatch> {
    const config = visit.config as SitemapConfig;
    const { crawl } = openCrawl(this.tools, visit, config, { maxDepth: 0, isListed: true });
    crawl.allowSites(config.sitemap_urls);
    for (const url of config.sitemap_urls) {
      for await (const pages of readSitemap(this.tools.egress, url, readingOf(visit))) await crawl.addPages(pages, 1);
    }
    yield* crawl.batches();
  }
}

export const WEBSITE = connectorKind(
  { title: 'Website', description: 'Pages of a site, found by following links.', auth: 'none' },
  WEBSITE_CONFIG,
  (tools) => new WebsiteConnector(tools),
);
export const SITEMAP = connectorKind(
  { title: 'Sitemap', description: 'Pages that a sitemap or a feed lists.', auth: 'none' },
  SITEMAP_CONFIG,
  (tools) => new SitemapConnector(tools),
);

/** If some pages of the sitemaps are unknown, marks the sync as incomplete, so that no document is deleted. */
function readingOf(visit: SourceVisit): SitemapReading {
  const consequence =
    'Some pages may be listed only in sitemaps that could not be read, so no indexed document is deleted.';
  const onIncomplete = ({ code, message }: { code: string; message: string }): void =>
    visit.reportIncomplete({ code, message: `${message} ${consequence}` });
  return { signal: visit.signal, onIncomplete };
}

function refusedByRobots(starts: readonly string[]): SourceError {
  const message = `robots.txt does not allow reading ${starts.join(', ')}. Allow it in robots.txt, or set respect_robots to false if you own the site.`;
  return new SourceError('robots_refused', message);
}
