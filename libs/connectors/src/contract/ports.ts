import type { OauthProvider } from '@app/connections';

export interface FoundPage {
  url: string;
  depth: number;
}

/**
 * The pages that the crawl of a site has found. They are stored in Postgres, because a large crawl does not fit into
 * memory and must survive the death of the worker.
 */
export interface CrawledPages {
  /** Stores at most one page more than `mostPages` in total. The extra page shows that the site has more pages. */
  addPages(urls: readonly string[], depth: number, mostPages: number): Promise<void>;
  /** Returns none if `mostPages` pages are already visited. */
  nextPages(limit: number, mostPages: number, deepest: number): Promise<FoundPage[]>;
  startPages(): Promise<string[]>;
  /** If it exceeds `mostPages`, some of them are not read. */
  countPages(): Promise<number>;
  /** The links that the page had when this sync or an earlier sync last read it; undefined if no sync has read it. */
  linksOf(url: string): Promise<string[] | undefined>;
  readBefore(urls: readonly string[]): Promise<string[]>;
  storeLinks(url: string, links: readonly string[]): Promise<void>;
}

export interface AccessTokens {
  accessToken(provider: OauthProvider): Promise<string>;
  /** If another process has already renewed it, returns the token of that process. */
  renewToken(provider: OauthProvider, refused: string): Promise<string>;
  /** @throws SourceError `authorization_revoked` */
  rejectRevoked(provider: OauthProvider, why: string): Promise<never>;
}
