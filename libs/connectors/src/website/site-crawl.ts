import { sha256 } from '@app/platform/crypto';
import type { ItemBatch, SourceVisit } from '../contract/connector.js';
import type { ItemReading, KnownDocument, SourceItem } from '../contract/items.js';
import type { FoundPage } from '../contract/ports.js';
import type { ExtractedText } from '@app/platform/extraction';
import { MAX_LINKS } from '@app/platform/extraction';
import { essenceOf, mediaKind } from '@app/platform/extraction';
import { DocumentError } from '@app/platform/extraction';
import { SourceError } from '../contract/connector.js';
import { CanonicalPages } from './canonical-pages.js';
import { isWanted, pageAddress, siteOf, type SiteRules } from './page-address.js';
import { PageMoves } from './page-moves.js';
import { type FetchedPage, type PageFetcher, validatorOf } from './page-fetcher.js';
import { type RobotsRules, robotsTag } from './robots-rules.js';

/** Number of pages in a batch. If a worker is killed, at most one batch is repeated. */
const BATCH = 16;

type FetchedDocument = Extract<FetchedPage, { kind: 'page' }>;

export interface CrawlPlan {
  /** Hosts are added when a start page redirects to another host. */
  rules: SiteRules & { hosts: Set<string> };
  maxPages: number;
  maxDepth: number;
  /** True if the pages come from a sitemap. A page that does not exist is then reported as a failure. */
  isListed: boolean;
}

type CrawlState = {
  hasBegun: boolean;
  failure: { code: string; message: string } | null;
};

export class SiteCrawl {
  private readonly moves = new PageMoves();
  private readonly failed = new Set<string>();
  private readonly named = new PageMoves();
  private readonly canonicals: CanonicalPages;
  private readonly state: CrawlState;

  constructor(
    private readonly visit: SourceVisit,
    private readonly plan: CrawlPlan,
    private readonly fetcher: PageFetcher,
    private readonly robots: RobotsRules,
  ) {
    this.state = (visit.checkpoint as CrawlState | null) ?? { hasBegun: false, failure: null };
    this.canonicals = new CanonicalPages(fetcher, robots);
    this.reportStartFailure();
  }

  /** Their links are followed even if the paths of the start pages are excluded. */
  async addStartPages(urls: readonly string[]): Promise<number> {
    this.allowSites([...urls, ...(await this.visit.pages.startPages())]);
    const [allowed] = await this.byRobots(urls);
    await this.visit.pages.addPages(urls, 0, this.plan.maxPages);
    return allowed.length;
  }

  allowSites(urls: readonly string[]): void {
    for (const url of urls) this.plan.rules.hosts.add(siteOf(url));
  }

  /** A page that robots.txt refuses is added only if this sync or an earlier sync has read it. */
  async addPages(urls: readonly string[], depth: number): Promise<void> {
    const own = urls.flatMap((text) => pageAddress(text) ?? []).filter((url) => isWanted(url, this.plan.rules));
    const [allowed, refused] = await this.byRobots(own);
    const read = await this.visit.pages.readBefore(refused);
    await this.visit.pages.addPages([...allowed, ...read], depth, this.plan.maxPages);
  }

  /** @throws SourceError if none of them can be read */
  async *startPages(): AsyncGenerator<ItemBatch> {
    yield* this.downTo(0);
    const { hasBegun, failure } = this.state;
    if (failure && !hasBegun)
      throw new SourceError(failure.code, `None of the start pages can be read. ${failure.message}`);
  }

  async *batches(): AsyncGenerator<ItemBatch> {
    const { maxPages, maxDepth } = this.plan;
    // Pages of a sitemap have depth 1. They are read even if `maxDepth` is 0.
    yield* this.downTo(Math.max(maxDepth, 1));
    if ((await this.visit.pages.countPages()) > maxPages) this.visit.reportIncomplete(tooManyPages(maxPages));
  }

  private async *downTo(depth: number): AsyncGenerator<ItemBatch> {
    const { maxPages } = this.plan;
    for (;;) {
      const pages = await this.visit.pages.nextPages(BATCH, maxPages, depth);
      if (pages.length === 0) return;
      const items = pages.map((page) => this.item(page));
      const visited = pages.map(({ url }) => url);
      const total = Math.min(await this.visit.pages.countPages(), maxPages);
      yield { items, visited, total, checkpoint: this.state };
    }
  }

  private item(page: FoundPage): SourceItem {
    return { key: page.url, readItem: (known) => this.readItem(page, known) };
  }

  /**
   * If reading fails, follows the links that the page had when it was last read, so that the linked pages are not
   * deleted.
   */
  private async readItem(page: FoundPage, known: KnownDocument | undefined): Promise<ItemReading> {
    try {
      const read = await this.read(page, known);
      if (page.depth === 0 && !this.moves.has(page.url)) this.state.hasBegun = true;
      return read;
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      if (page.depth === 0) {
        this.state.failure ??= { code: error.code, message: `${page.url}: ${error.message}` };
        this.reportStartFailure();
      }
      this.failed.add(page.url);
      await this.followEarlierLinks(page);
      throw error;
    }
  }

  /** Prevents deletions if a start page failed, because the links of that page may be unknown. */
  private reportStartFailure(): void {
    const { failure } = this.state;
    if (!failure) return;
    const message = `A start page cannot be read, so no indexed document is deleted. ${failure.message}`;
    this.visit.reportIncomplete({ code: failure.code, message });
  }

  private async read(page: FoundPage, known: KnownDocument | undefined): Promise<ItemReading> {
    if (!(await this.robots.allows(page.url))) return this.refused(page, known);
    const before = known ? await this.linksBefore(page.url) : undefined;
    // If the links of the page are unknown, no validator is sent, so that the page is read in full.
    const fetched = await this.fetcher.fetch(page.url, before && known?.validator);
    if (fetched.kind === 'gone') return this.gone(page, fetched.status);
    if (fetched.kind === 'moved') return this.move(page, fetched.to);
    if (fetched.kind === 'unchanged') {
      await this.followLinks(page, before);
      return { kind: 'unchanged' };
    }
    return this.document(page, fetched, before && known);
  }

  private gone({ depth }: FoundPage, status: number): ItemReading {
    const failure = { code: 'page_missing', message: `The page does not exist (HTTP status ${status}).` };
    if (depth === 0) throw new DocumentError(failure.code, failure.message);
    return this.plan.isListed ? { kind: 'absent', failure } : { kind: 'absent' };
  }

  /** The indexed document is kept, because the page still exists. */
  private async refused(page: FoundPage, known: KnownDocument | undefined): Promise<ItemReading> {
    const message = `robots.txt does not allow reading ${page.url}.`;
    if (known)
      throw new DocumentError('robots_refused', `${message} To delete its document, add the path to exclude_paths.`);
    if (page.depth === 0) throw new DocumentError('robots_refused', message);
    this.failed.add(page.url);
    await this.followEarlierLinks(page);
    return { kind: 'absent' };
  }

  private async followEarlierLinks(page: FoundPage): Promise<void> {
    for (const url of [page.url, ...this.moves.leadingTo(page.url)])
      await this.followLinks(page, await this.linksBefore(url));
  }

  private async move(page: FoundPage, to: string): Promise<ItemReading> {
    if (!this.moves.add(page.url, to)) throw new DocumentError('redirect_loop', `${page.url} redirects in a loop.`);
    await this.followEarlierLinksTo(page, to);
    if (page.depth === 0) await this.addStartPages([to]);
    else await this.addPages([to], page.depth);
    return { kind: 'absent' };
  }

  /**
   * Copies the known links of a page to its redirect target, so that the linked pages are not deleted if reading the
   * target fails.
   */
  private async followEarlierLinksTo(page: FoundPage, to: string): Promise<void> {
    const links = await this.linksBefore(page.url);
    if (links && !(await this.linksBefore(to))) await this.visit.pages.storeLinks(to, links);
    // A resumed sync does not know which pages failed before the interruption, so it always follows the earlier links.
    const wasResumed = this.visit.checkpoint !== null;
    const hasFailed = this.moves.stepsFrom(page.url).some((url) => this.failed.has(url));
    if (wasResumed || hasFailed) await this.followEarlierLinks(page);
  }

  private async document(page: FoundPage, { response }: FetchedDocument, known?: KnownDocument): Promise<ItemReading> {
    const contentType = response.headers['content-type'] ?? '';
    // Images, archives and similar files are neither documents nor failures.
    if (mediaKind(contentType, page.url) === undefined) return { kind: 'absent' };
    const tag = response.headers['x-robots-tag'];
    const hash = sha256(tag ? Buffer.concat([Buffer.from(`${tag}\n`), response.body]) : response.body).toString('hex');
    if (known?.hash === hash) {
      await this.followLinks(page, await this.linksBefore(page.url));
      return { kind: 'unchanged' };
    }
    const extracted = await this.visit.extract({ bytes: response.body, contentType, url: page.url });
    const read = { ...extracted, robots: [...extracted.robots, ...robotsTag(tag)] };
    await this.follow(page, read);
    if (await this.yieldsToCanonical(page, read.canonical)) return { kind: 'absent' };
    if (
      read.robots.includes('noindex') ||
      read.robots.includes('none') ||
      read.text === '' ||
      !isWanted(page.url, this.plan.rules)
    )
      return { kind: 'absent' };
    const title = read.title ?? page.url;
    const document = {
      key: page.url,
      url: page.url,
      title,
      contentType: essenceOf(contentType),
      text: read.text,
      hash,
    };
    return { kind: 'document', document: { ...document, validator: validatorOf(response) } };
  }

  /**
   * Returns false if the canonical address leads to no page, to a page that may not be read, or back to this page. In
   * these cases, this page itself may be indexed.
   */
  private async yieldsToCanonical(page: FoundPage, named: string | null): Promise<boolean> {
    const canonical = named === null ? undefined : pageAddress(named);
    if (canonical === undefined || canonical === page.url || !isWanted(canonical, this.plan.rules)) return false;
    try {
      const end = await this.canonicals.resolve(canonical);
      if (end === undefined || end === page.url || !isWanted(end, this.plan.rules)) return false;
      if (!this.named.add(page.url, end)) return false;
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      // The sync will also fail to read the canonical page, and will therefore keep its indexed document.
      await this.addPages([canonical], page.depth);
      return false;
    }
    await this.addPages([canonical], page.depth);
    return true;
  }

  private async follow(page: FoundPage, { links, robots }: ExtractedText): Promise<void> {
    const leading = robots.includes('nofollow') || robots.includes('none') ? [] : links;
    if (leading.length >= MAX_LINKS) this.visit.reportIncomplete(tooManyLinks(page.url));
    const own = leading.flatMap((link) => pageAddress(link) ?? []).filter((url) => isWanted(url, this.plan.rules));
    await this.visit.pages.storeLinks(page.url, own);
    await this.followLinks(page, own);
  }

  private async followLinks({ depth }: FoundPage, links: readonly string[] = []): Promise<void> {
    if (depth < this.plan.maxDepth) await this.addPages(links, depth + 1);
  }

  private async byRobots(urls: readonly string[]): Promise<[allowed: string[], refused: string[]]> {
    const [allowed, refused]: [string[], string[]] = [[], []];
    for (const url of new Set(urls)) ((await this.robots.allows(url)) ? allowed : refused).push(url);
    return [allowed, refused];
  }

  private linksBefore(url: string): Promise<string[] | undefined> {
    return this.visit.pages.linksOf(url);
  }
}

function tooManyLinks(url: string): { code: string; message: string } {
  const message = `${url} has more than ${MAX_LINKS} links. Only the first ${MAX_LINKS} are followed, so no indexed document is deleted.`;
  return { code: 'too_many_links', message };
}

function tooManyPages(most: number): { code: string; message: string } {
  return {
    code: 'too_many_pages',
    message: `The site has more than max_pages (${most}) pages. The other pages were not read, so no indexed document is deleted. Raise max_pages to read all pages.`,
  };
}
