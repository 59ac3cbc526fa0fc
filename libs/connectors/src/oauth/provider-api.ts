import type { JsonObject, JsonValue } from '@app/kernel';
import { type EgressClient, EgressError, type EgressResponse } from '@app/platform/egress';
import type { SourceVisit } from '../contract/connector.js';
import { jsonPage, MAX_PAGE, placeOf, valueAt } from '../shared/json-page.js';
import { SourceError } from '../contract/connector.js';
import { filled, filledBody, filledPath, type TemplateValues } from './described-template.js';
import type { DescribedList, DescribedNextPage, DescribedRequest } from './oauth-description.js';
import type { SourceProvider } from './source-providers.service.js';

const MAX_DOCUMENT = 50 * 1024 * 1024;

type NextPage = { value: string | null; described: DescribedNextPage | null };

const NO_NEXT_PAGE: NextPage = { value: null, described: null };

export interface ListedPage {
  items: readonly JsonValue[];
  isIncomplete: boolean;
  next: string | null;
}

export type ProviderAccess = Pick<SourceVisit, 'tokens' | 'signal'>;

/** Follows no redirects, so that no other host receives the token. */
export class ProviderApi {
  constructor(
    private readonly provider: SourceProvider,
    private readonly visit: ProviderAccess,
    private readonly egress: EgressClient,
  ) {}

  /** If `scope` is empty, reads the listing of everything. */
  async readPage(scope: string, next: string | null): Promise<ListedPage> {
    const { api, title } = this.provider;
    const described = scope === '' ? (api.list_everything ?? api.list) : api.list;
    const url = this.url(described, { scope });
    if (!url) throw new SourceError('scope_wrong', `${JSON.stringify(scope)} cannot be requested from ${title}.`);
    const list = { ...described, items_pointer: api.items_pointer, next: api.next };
    const answer = await this.send(list, { scope }, url, { value: next, described: api.next });
    if (answer.status === 404) {
      const message = `${title} has no ${JSON.stringify(scope)}, or the authorisation does not include it. If it no longer exists, remove it from ${api.scope.field} (PATCH the source).`;
      throw new SourceError('scope_missing', message);
    }
    return this.pageOf(list, answer);
  }

  async readList(list: DescribedList, next: string | null): Promise<ListedPage> {
    const url = this.url(list, { scope: '' });
    if (!url) throw new SourceError('scope_wrong', `The list cannot be requested from ${this.provider.title}.`);
    return this.pageOf(list, await this.send(list, { scope: '' }, url, { value: next, described: list.next }));
  }

  private pageOf({ items_pointer, next }: DescribedList, answer: EgressResponse): ListedPage {
    const { incomplete_pointer: incomplete } = this.provider.api;
    const page = jsonPage(answer, answer.url);
    const items = valueAt(page, items_pointer);
    if (!Array.isArray(items))
      throw new SourceError('bad_answer', `The response of ${placeOf(answer.url)} has no list at ${items_pointer}.`);
    const isIncomplete = incomplete !== null && valueAt(page, incomplete) === true;
    return { items, isIncomplete, next: nextOf(next, page, answer) };
  }

  /** Returns undefined if the item lacks a value that the request needs. */
  async readContent(described: DescribedRequest, values: TemplateValues): Promise<EgressResponse | undefined> {
    const url = this.url(described, values);
    return url && this.send(described, values, url, NO_NEXT_PAGE, MAX_DOCUMENT);
  }

  private url({ path, query }: DescribedRequest, values: TemplateValues): URL | undefined {
    const filledIn = filledPath(path, values);
    if (filledIn === undefined) return undefined;
    const url = new URL(this.provider.api.base_url.replace(/\/$/, '') + filledIn);
    for (const [name, template] of Object.entries(query)) url.searchParams.set(name, filled(template, values) ?? '');
    return url;
  }

  private async send(
    described: DescribedRequest,
    values: TemplateValues,
    url: URL,
    next: NextPage,
    maxResponseBytes = MAX_PAGE,
  ): Promise<EgressResponse> {
    const body = described.body === null ? null : filledBody(described.body, values);
    const target = next.value === null ? { url, body } : this.following(url, body, next.value, next.described);
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...(target.body && { 'content-type': 'application/json' }),
      ...lowerCased(this.provider.api.headers),
      ...lowerCased(described.headers),
    };
    const content = target.body && { body: JSON.stringify(target.body) };
    const request = { url: target.url.href, method: described.method, headers, ...content };
    return this.authorized({ ...request, maxResponseBytes, timeoutMs: 60_000, signal: this.visit.signal });
  }

  /** If the provider also rejects the new token, the authorisation counts as revoked. */
  private async authorized(request: Parameters<EgressClient['request']>[0]): Promise<EgressResponse> {
    const { tokens } = this.visit;
    const ask = (token: string): Promise<EgressResponse> =>
      this.reached({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
    const token = await tokens.accessToken(this.provider);
    const answer = await ask(token);
    if (answer.status !== 401) return answer;
    const second = await ask(await tokens.renewToken(this.provider, token));
    if (second.status !== 401) return second;
    return tokens.rejectRevoked(this.provider, 'it rejected an access token that it had just issued');
  }

  private async reached(request: Parameters<EgressClient['request']>[0]): Promise<EgressResponse> {
    try {
      return await this.egress.request(request);
    } catch (cause) {
      this.visit.signal.throwIfAborted();
      if (!(cause instanceof EgressError)) throw cause;
      const message = `${this.provider.title} cannot be reached: ${cause.message}`;
      throw new SourceError('api_unreachable', message, { cause });
    }
  }

  private following(
    url: URL,
    body: JsonObject | null,
    value: string,
    described: DescribedNextPage | null,
  ): { url: URL; body: JsonObject | null } {
    const { query = null, body: member = null } = described ?? {};
    if (member !== null) return { url, body: { ...body, [member]: value } };
    if (query !== null) {
      url.searchParams.set(query, value);
      return { url, body };
    }
    if (URL.canParse(value, url.href) && new URL(value, url.href).origin === url.origin)
      return { url: new URL(value, url.href), body };
    throw new SourceError(
      'bad_answer',
      `${this.provider.title} returned a link to the next page that does not lead to ${url.origin}. The link was not followed.`,
    );
  }
}

function nextOf(next: DescribedNextPage | null, page: JsonValue, { headers }: EgressResponse): string | null {
  if (!next) return null;
  if (next.link) return /<([^>]+)>\s*;[^,]*\brel="?next"?/.exec(headers.link ?? '')?.[1] ?? null;
  const value = next.pointer === null ? undefined : valueAt(page, next.pointer);
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : null;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
