import { sha256 } from '@app/platform/crypto';
import type { ItemBatch, SourceVisit } from '../contract/connector.js';
import type { Brought, KnownDocument, SourceItem } from '../contract/items.js';
import type { FoundPage } from '../contract/ports.js';
import type { ExtractedText } from '@app/platform/extraction';
import { MOST_LINKS } from '@app/platform/extraction';
import { essenceOf, mediaKind } from '@app/platform/extraction';
import { DocumentError } from '@app/platform/extraction';
import { SourceError } from '../contract/source-error.js';
import { CanonicalPages } from './canonical-pages.js';
import { isWanted, pageAddress, siteOf, type SiteRules } from './page-address.js';
import { PageMoves } from './page-moves.js';
import { type FetchedPage, type PageFetcher, validatorOf } from './page-fetcher.js';
import type { RobotsRules } from './robots-rules.js';
import { robotsTag } from './robots-tag.js';

/** Pages of one batch. What a kill loses is read again. */
const BATCH = 16;

type FetchedDocument = Extract<FetchedPage, { kind: 'page' }>;

export interface CrawlPlan {
  /** Its hosts grow where a page that the crawl began with has moved to another. */
  rules: SiteRules & { hosts: Set<string> };
  maxPages: number;
  /** Links away from where it began; 0: links are not followed at all. */
  maxDepth: number;
  /** The pages come from a list, so a missing page is reported. */
  isListed: boolean;
}

/** What a checkpoint holds. */
type CrawlState = {
  /** One of the pages that the crawl began with could be read. */
  hasBegun: boolean;
  /** Why one of them could not. */
  failure: { code: string; message: string } | null;
};

/** Crawls the pages of a site along their links. */
export class SiteCrawl {
  private readonly moves = new PageMoves();
  private readonly failed = new Set<string>();
  /** Pages that name another one as canonical. */
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
    this.noteFailure();
  }

  /**
   * Pages to begin with: they are read for what they lead to, whether they are wanted themselves or not. Says how many robots.txt
   * allows; the others fail in their turn.
   */
  async begin(urls: readonly string[]): Promise<number> {
    this.allowSites([...urls, ...(await this.visit.pages.beginnings())]);
    const [allowed] = await this.byRobots(urls);
    await this.visit.pages.add(urls, 0, this.plan.maxPages);
    return allowed.length;
  }

  /** Pages of these sites may be read. */
  allowSites(urls: readonly string[]): void {
    for (const url of urls) this.plan.rules.hosts.add(siteOf(url));
  }

  /** Adds further pages if they are wanted and robots.txt allows them, or allowed them when they were read. */
  async add(urls: readonly string[], depth: number): Promise<void> {
    const own = urls.flatMap((text) => pageAddress(text) ?? []).filter((url) => isWanted(url, this.plan.rules));
    const [allowed, refused] = await this.byRobots(own);
    const read = await this.visit.pages.read(refused);
    await this.visit.pages.add([...allowed, ...read], depth, this.plan.maxPages);
  }

  /** The pages that it begins with, and where they have moved to. @throws SourceError where none of them can be read */
  async *beginnings(): AsyncGenerator<ItemBatch> {
    yield* this.downTo(0);
    const { hasBegun, failure } = this.state;
    if (failure && !hasBegun) throw new SourceError(failure.code, `No start page can be read. ${failure.message}`);
  }

  /** All the others, and what they lead to. */
  async *batches(): AsyncGenerator<ItemBatch> {
    const { maxPages, maxDepth } = this.plan;
    // What a sitemap names is one step away, also where no links are followed.
    yield* this.downTo(Math.max(maxDepth, 1));
    if ((await this.visit.pages.count()) > maxPages) this.visit.isIncomplete(tooManyPages(maxPages));
  }

  private async *downTo(depth: number): AsyncGenerator<ItemBatch> {
    const { maxPages } = this.plan;
    for (;;) {
      const pages = await this.visit.pages.next(BATCH, maxPages, depth);
      if (pages.length === 0) return;
      const items = pages.map((page) => this.item(page));
      const visited = pages.map(({ url }) => url);
      const total = Math.min(await this.visit.pages.count(), maxPages);
      yield { items, visited, total, checkpoint: this.state };
    }
  }

  private item(page: FoundPage): SourceItem {
    return { key: page.url, bring: (known) => this.bring(page, known) };
  }

  /** A page that fails leads where it led before: what lies behind it is not taken for gone. */
  private async bring(page: FoundPage, known: KnownDocument | undefined): Promise<Brought> {
    try {
      const brought = await this.read(page, known);
      if (page.depth === 0 && !this.moves.has(page.url)) this.state.hasBegun = true;
      return brought;
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      if (page.depth === 0) {
        this.state.failure ??= { code: error.code, message: `${page.url}: ${error.message}` };
        this.noteFailure();
      }
      this.failed.add(page.url);
      await this.leadAsBefore(page);
      throw error;
    }
  }

  /** What a start page would have led to may not be known, and is not taken for gone. */
  private noteFailure(): void {
    const { failure } = this.state;
    if (!failure) return;
    const message = `A start page cannot be read, so nothing is deleted. ${failure.message}`;
    this.visit.isIncomplete({ code: failure.code, message });
  }

  private async read(page: FoundPage, known: KnownDocument | undefined): Promise<Brought> {
    if (!(await this.robots.allows(page.url))) return this.refused(page, known);
    const before = known ? await this.linksBefore(page.url) : undefined;
    // Without knowing where it leads, the page has to be read in any case.
    const fetched = await this.fetcher.fetch(page.url, before && known?.validator);
    if (fetched.kind === 'gone') return this.gone(page, fetched.status);
    if (fetched.kind === 'moved') return this.move(page, fetched.to);
    if (fetched.kind === 'unchanged') {
      await this.goOn(page, before);
      return { kind: 'unchanged' };
    }
    return this.document(page, fetched, before && known);
  }

  /** A missing page is an error only if a list names it or the crawl starts with it. */
  private gone({ depth }: FoundPage, status: number): Brought {
    const failure = { code: 'page_missing', message: `The page is not there (${status}).` };
    if (depth === 0) throw new DocumentError(failure.code, failure.message);
    return this.plan.isListed ? { kind: 'absent', failure } : { kind: 'absent' };
  }

  /** What is indexed of it stays: it is not gone. */
  private async refused(page: FoundPage, known: KnownDocument | undefined): Promise<Brought> {
    const message = `robots.txt does not allow ${page.url} to be read.`;
    if (known)
      throw new DocumentError('robots_refused', `${message} Name it in exclude_paths to have it deleted here.`);
    if (page.depth === 0) throw new DocumentError('robots_refused', message);
    this.failed.add(page.url);
    await this.leadAsBefore(page);
    return { kind: 'absent' };
  }

  /** A page that cannot be read leads where it led when it was, and where those led that have moved to it. */
  private async leadAsBefore(page: FoundPage): Promise<void> {
    for (const url of [page.url, ...this.moves.leadingTo(page.url)]) await this.goOn(page, await this.linksBefore(url));
  }

  private async move(page: FoundPage, to: string): Promise<Brought> {
    if (!this.moves.add(page.url, to)) throw new DocumentError('redirect_loop', `${page.url} redirects in a circle.`);
    await this.leadOn(page, to);
    if (page.depth === 0) await this.begin([to]);
    else await this.add([to], page.depth);
    return { kind: 'absent' };
  }

  /** Until the other page has been read, it leads where this one led: it may fail, and what lies behind it is not gone. */
  private async leadOn(page: FoundPage, to: string): Promise<void> {
    const links = await this.linksBefore(page.url);
    if (links && !(await this.linksBefore(to))) await this.visit.pages.keepLinks(to, links);
    // Whether it has failed already is not known of what was read before a kill.
    const wasResumed = this.visit.checkpoint !== null;
    const hasFailed = this.moves.stepsFrom(page.url).some((url) => this.failed.has(url));
    if (wasResumed || hasFailed) await this.leadAsBefore(page);
  }

  private async document(page: FoundPage, { response }: FetchedDocument, known?: KnownDocument): Promise<Brought> {
    const contentType = response.headers['content-type'] ?? '';
    // Pictures, archives and the like are no documents, and no failures either.
    if (mediaKind(contentType, page.url) === undefined) return { kind: 'absent' };
    const tag = response.headers['x-robots-tag'];
    const hash = sha256(tag ? Buffer.concat([Buffer.from(`${tag}\n`), response.body]) : response.body).toString('hex');
    if (known?.hash === hash) {
      await this.goOn(page, await this.linksBefore(page.url));
      return { kind: 'unchanged' };
    }
    const extracted = await this.visit.extract({ bytes: response.body, contentType, url: page.url });
    const read = { ...extracted, robots: [...extracted.robots, ...robotsTag(tag)] };
    await this.follow(page, read);
    if (await this.isLeftTo(page, read.canonical)) return { kind: 'absent' };
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
   * Whether the page leaves its place to the one that it calls canonical. It does not where that leads to nothing, back to it, or to a page
   * that may not be read: a mistake of the site, by which nothing would be indexed.
   */
  private async isLeftTo(page: FoundPage, named: string | null): Promise<boolean> {
    const canonical = named === null ? undefined : pageAddress(named);
    if (canonical === undefined || canonical === page.url || !isWanted(canonical, this.plan.rules)) return false;
    try {
      const end = await this.canonicals.endOf(canonical);
      if (end === undefined || end === page.url || !isWanted(end, this.plan.rules)) return false;
      if (!this.named.add(page.url, end)) return false;
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      // It fails in its turn, and is kept as it was.
      await this.add([canonical], page.depth);
      return false;
    }
    await this.add([canonical], page.depth);
    return true;
  }

  private async follow(page: FoundPage, { links, robots }: ExtractedText): Promise<void> {
    const leading = robots.includes('nofollow') || robots.includes('none') ? [] : links;
    if (leading.length >= MOST_LINKS) this.visit.isIncomplete(tooManyLinks(page.url));
    const own = leading.flatMap((link) => pageAddress(link) ?? []).filter((url) => isWanted(url, this.plan.rules));
    await this.visit.pages.keepLinks(page.url, own);
    await this.goOn(page, own);
  }

  private async goOn({ depth }: FoundPage, links: readonly string[] = []): Promise<void> {
    if (depth < this.plan.maxDepth) await this.add(links, depth + 1);
  }

  /** Those that robots.txt allows, and those that it does not. */
  private async byRobots(urls: readonly string[]): Promise<[allowed: string[], refused: string[]]> {
    const [allowed, refused]: [string[], string[]] = [[], []];
    for (const url of new Set(urls)) ((await this.robots.allows(url)) ? allowed : refused).push(url);
    return [allowed, refused];
  }

  private linksBefore(url: string): Promise<string[] | undefined> {
    return this.visit.pages.links(url);
  }
}

function tooManyLinks(url: string): { code: string; message: string } {
  const message = `${url} has more than ${MOST_LINKS} links, of which the first are followed; nothing is deleted.`;
  return { code: 'too_many_links', message };
}

function tooManyPages(most: number): { code: string; message: string } {
  return {
    code: 'too_many_pages',
    message: `The site has more than max_pages (${most}) pages, so nothing is deleted.`,
  };
}
