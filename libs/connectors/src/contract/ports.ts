import type { OauthProvider } from '@app/connections';

export interface FoundPage {
  url: string;
  /** Number of links between a start page and this page. */
  depth: number;
}

/**
 * The pages that the crawl of a site has found. They are stored in Postgres, because a large crawl does not fit into
 * memory and must survive the death of the worker.
 */
export interface CrawledPages {
  /**
   * Adds pages that are not known yet. Stores at most one page more than `mostPages` in total. The extra page shows
   * that the site has more pages.
   */
  addPages(urls: readonly string[], depth: number, mostPages: number): Promise<void>;
  /**
   * Returns pages that are not visited yet and that have a depth of at most `deepest`, in the order in which they were
   * found. Returns none if `mostPages` pages are already visited.
   */
  nextPages(limit: number, mostPages: number, deepest: number): Promise<FoundPage[]>;
  /** The start pages of the crawl and the targets of their redirects. */
  startPages(): Promise<string[]>;
  /** Number of pages that were found. If it exceeds `mostPages`, some of them are not read. */
  countPages(): Promise<number>;
  /** The links that the page had when this sync or an earlier sync last read it; undefined if no sync has read it. */
  linksOf(url: string): Promise<string[] | undefined>;
  /** Returns those of the given pages that this sync or an earlier sync has read. */
  readBefore(urls: readonly string[]): Promise<string[]>;
  storeLinks(url: string, links: readonly string[]): Promise<void>;
}

/** The access of one source to the provider at which a person authorised it. */
export interface AccessTokens {
  /**
   * Returns an access token that is valid for at least one minute.
   * @throws SourceError `authorization_revoked` (the authorisation of the source is then marked as expired),
   * `token_refused`
   */
  accessToken(provider: OauthProvider): Promise<string>;
  /**
   * Replaces an access token that the provider rejected. If another process has already renewed it, returns the token
   * of that process.
   * @throws SourceError as {@link accessToken}
   */
  renewToken(provider: OauthProvider, refused: string): Promise<string>;
  /**
   * Marks the authorisation of the source as expired and always throws.
   * @throws SourceError `authorization_revoked`
   */
  rejectRevoked(provider: OauthProvider, why: string): Promise<never>;
}
