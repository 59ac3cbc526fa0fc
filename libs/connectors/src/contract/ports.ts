import type { OauthProvider } from '@app/connections';

/** A page that a crawl has found. */
export interface FoundPage {
  url: string;
  /** Links away from a start page. */
  depth: number;
}

/** The pages that one visit of a site has found. They are stored, so that a crawl of any size fits into memory and survives its worker. */
export interface CrawledPages {
  /** Adds pages that are not known yet. Above `mostPages` in all only one is added, so that the excess can be seen. */
  add(urls: readonly string[], depth: number, mostPages: number): Promise<void>;
  /** Pages that are not visited yet, in the order in which they were found, until `mostPages` have been visited; none deeper than `deepest`. */
  next(limit: number, mostPages: number, deepest: number): Promise<FoundPage[]>;
  /** Pages that the crawl began with, where those have moved to included. */
  beginnings(): Promise<string[]>;
  /** More than the limit of pages: some are not read. */
  count(): Promise<number>;
  /** The links of the page when it was last read, by this visit or an earlier one; undefined where that is not known. */
  links(url: string): Promise<string[] | undefined>;
  /** Those of the pages that have been read before, by this visit or an earlier one. */
  read(urls: readonly string[]): Promise<string[]>;
  keepLinks(url: string, links: readonly string[]): Promise<void>;
}

/** The access of one source to the provider at which a person has authorised it. */
export interface AccessTokens {
  /**
   * An access token that is valid for at least a minute.
   * @throws SourceError `authorization_revoked` (the source is marked as such), `token_refused`
   */
  access(provider: OauthProvider): Promise<string>;
  /**
   * An access token in the place of one that the provider refused; the one of another process, where that has renewed it in the meantime.
   * @throws SourceError as {@link access}
   */
  renew(provider: OauthProvider, refused: string): Promise<string>;
  /** Marks the source: the provider accepts nothing of it any more. @throws SourceError `authorization_revoked`, always */
  revoked(provider: OauthProvider, why: string): Promise<never>;
}
