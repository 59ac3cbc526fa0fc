import type { OauthProvider } from '@app/connections';

/** A page that a crawl has found. */
export interface FoundPage {
  url: string;
  /** The number of links from a start page. */
  depth: number;
}

/**
 * The pages that one visit of a site has found. They are stored in Postgres: a crawl may be larger than the memory of
 * its worker and outlives it.
 */
export interface CrawledPages {
  /** Adds pages that are not known yet: at most one more than `mostPages` in total, which shows that there are more. */
  addPages(urls: readonly string[], depth: number, mostPages: number): Promise<void>;
  /**
   * Pages that are not visited yet and at most `deepest` deep, in the order they were found. None after `mostPages`
   * visits.
   */
  nextPages(limit: number, mostPages: number, deepest: number): Promise<FoundPage[]>;
  /** The pages that the crawl started with and the targets of their redirects. */
  startPages(): Promise<string[]>;
  /** The number of pages. If it exceeds the limit, some are not read. */
  countPages(): Promise<number>;
  /** The links of the page when this visit or an earlier one last read it; undefined if it was never read. */
  linksOf(url: string): Promise<string[] | undefined>;
  /** The subset of these pages that this visit or an earlier one has read. */
  readBefore(urls: readonly string[]): Promise<string[]>;
  storeLinks(url: string, links: readonly string[]): Promise<void>;
}

/** The access of one source to the provider that a person authorised it for. */
export interface AccessTokens {
  /**
   * An access token that is valid for at least a minute.
   * @throws SourceError `authorization_revoked` (the source is marked as such), `token_refused`
   */
  accessToken(provider: OauthProvider): Promise<string>;
  /**
   * Replaces an access token that the provider refused. If another process has renewed it meanwhile, returns its token.
   * @throws SourceError as {@link accessToken}
   */
  renewToken(provider: OauthProvider, refused: string): Promise<string>;
  /** Marks the source as no longer authorised. @throws SourceError `authorization_revoked`, always */
  rejectRevoked(provider: OauthProvider, why: string): Promise<never>;
}
