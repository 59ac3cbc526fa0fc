import type { Clock } from '@app/kernel';
import { type EgressClient, EgressError, type EgressResponse } from '@app/platform/egress';
import type { DocumentValidator } from '../contract/items.js';
import { DocumentError } from '@app/platform/extraction';
import { pageAddress } from './page-address.js';
import { CRAWLER_HEADERS, type RobotsRules } from './robots-rules.js';

const MAX_PAGE = 20 * 1024 * 1024;
const PAGE_MILLIS = 60_000;
const MAX_TRIES = 3;
const MAX_WAIT_MILLIS = 30_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export type FetchedPage =
  | { kind: 'page'; url: string; response: EgressResponse }
  | { kind: 'unchanged' }
  | { kind: 'gone'; status: number }
  /** The page redirects. The caller decides whether to read the target. */
  | { kind: 'moved'; to: string };

/** Respects the crawl delay of robots.txt and `Retry-After`. */
export class PageFetcher {
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly egress: EgressClient,
    private readonly robots: RobotsRules,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws DocumentError */
  async fetch(url: string, known?: DocumentValidator | null): Promise<FetchedPage> {
    const response = await this.fetchWithRetries(url, known);
    const { status } = response;
    if (status === 304) return { kind: 'unchanged' };
    if (status === 404 || status === 410) return { kind: 'gone', status };
    if (REDIRECTS.has(status)) return { kind: 'moved', to: target(url, response) };
    if (status === 401 || status === 403)
      throw new DocumentError('access_denied', `The site denied access to the page (HTTP status ${status}).`);
    if (status >= 300) throw new DocumentError('bad_answer', `The site responded with HTTP status ${status}.`);
    if (response.truncated)
      throw new DocumentError('document_too_large', `The page is larger than ${MAX_PAGE / 1024 / 1024} MiB.`);
    return { kind: 'page', url, response };
  }

  private async fetchWithRetries(url: string, known?: DocumentValidator | null): Promise<EgressResponse> {
    for (let tries = 1; ; tries++) {
      const response = await this.fetchAfterDelay(url, known);
      const isBusy = response.status === 429 || response.status === 503;
      if (!isBusy || tries === MAX_TRIES) return response;
      await this.clock.sleep(waitOf(response, tries, this.clock.now()), this.signal);
      this.signal.throwIfAborted();
    }
  }

  private async fetchAfterDelay(url: string, known?: DocumentValidator | null): Promise<EgressResponse> {
    const delay = await this.robots.delayMillis(url);
    if (delay === 0) return this.request(url, known);
    const mine = this.turn.then(() => this.request(url, known));
    this.turn = Promise.allSettled([mine]).then(() => this.clock.sleep(delay, this.signal));
    return mine;
  }

  private async request(url: string, known?: DocumentValidator | null): Promise<EgressResponse> {
    this.signal.throwIfAborted();
    const headers = {
      ...CRAWLER_HEADERS,
      accept: 'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, */*;q=0.5',
      ...(known?.etag && { 'if-none-match': known.etag }),
      ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
    };
    try {
      return await this.egress.request({
        url,
        headers,
        maxResponseBytes: MAX_PAGE,
        timeoutMs: PAGE_MILLIS,
        signal: this.signal,
      });
    } catch (error) {
      this.signal.throwIfAborted();
      if (error instanceof EgressError) throw new DocumentError('page_unreachable', error.message, { cause: error });
      throw error;
    }
  }
}

export function validatorOf({ headers }: EgressResponse): DocumentValidator | null {
  const { etag, 'last-modified': lastModified } = headers;
  if (!etag && !lastModified) return null;
  return { ...(etag && { etag }), ...(lastModified && { lastModified }) };
}

function target(url: string, { headers }: EgressResponse): string {
  const { location } = headers;
  if (location === undefined) throw new DocumentError('bad_answer', 'The page redirects without a Location header.');
  const to = pageAddress(location, url);
  if (to === undefined)
    throw new DocumentError('bad_answer', 'The page redirects to a Location that is not a valid web address.');
  return to;
}

/** In both cases, it is at least 100 ms and at most `MAX_WAIT_MILLIS`. */
function waitOf({ headers }: EgressResponse, tries: number, now: Date): number {
  const asked = headers['retry-after'] ?? '';
  const askedMillis = /^\d+$/.test(asked) ? Number(asked) * 1_000 : Date.parse(asked) - now.getTime();
  const millis = Number.isFinite(askedMillis) ? askedMillis : 500 * 2 ** tries;
  return Math.min(Math.max(millis, 100), MAX_WAIT_MILLIS);
}
