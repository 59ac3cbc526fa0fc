import { canonicalJson, type JsonObject, type JsonValue } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import { type EgressClient, EgressError, type EgressResponse } from '@app/platform/egress';
import { type Connector, connectorKind, type ItemBatch, type SourceVisit } from '../contract/connector.js';
import {
  cursorReader,
  DuplicateKeys,
  type ItemReading,
  type KnownDocument,
  type SourceItem,
} from '../contract/items.js';
import { DocumentError } from '@app/platform/extraction';
import { SourceError } from '../contract/connector.js';
import { HTTP_API_CONFIG, type HttpApiConfig } from './http-api-config.js';
import { jsonPage, MAX_PAGE, valueAt } from '../shared/json-page.js';

type HttpApiCheckpoint = {
  /** URL of the next page, without the API key that some APIs expect in the query. */
  next: string | null;
  pages: number;
  flaw: { code: string; message: string } | null;
};

class HttpApiConnector implements Connector {
  readonly parallelism = 4;
  readonly isAuthoritative = false;

  constructor(private readonly egress: EgressClient) {}

  async *enumerate(visit: SourceVisit): AsyncGenerator<ItemBatch> {
    const config = visit.config as HttpApiConfig;
    const keys = new DuplicateKeys();
    const passed = new Set<string>();
    const place = visit.checkpoint
      ? (visit.checkpoint as HttpApiCheckpoint)
      : { next: config.base_url, pages: 0, flaw: null };
    if (place.flaw) visit.reportIncomplete(place.flaw);
    const recorded: SourceVisit = {
      ...visit,
      reportIncomplete: (flaw) => visit.reportIncomplete((place.flaw ??= flaw)),
    };
    while (place.next !== null) {
      const current = place.next;
      if (passed.has(current))
        throw new SourceError(
          'paging_loop',
          `The API returned ${current} as the next page twice, so its list does not end. Check the paging settings of the source.`,
        );
      if (place.pages === config.max_pages) {
        visit.reportIncomplete(tooManyPages(config.max_pages));
        return;
      }
      passed.add(current);
      const page: JsonValue = jsonPage(await this.request(current, config, visit.signal), current);
      const found = valueAt(page, config.items_pointer);
      if (!Array.isArray(found))
        throw new SourceError(
          'bad_answer',
          `The response of ${current} has no list at items_pointer ${config.items_pointer || '(the whole response)'}. Correct items_pointer of the source.`,
        );
      const items = found.flatMap((item) => itemOf(item, config, recorded, keys));
      place.next = nextPage(page, current, config) ?? null;
      place.pages += 1;
      yield { items, checkpoint: { ...place } };
    }
  }

  private async request(url: string, config: HttpApiConfig, signal: AbortSignal): Promise<EgressResponse> {
    try {
      // A redirect to another origin is followed without the credentials.
      const request = { ...authorized(url, config), redirect: 'follow' } as const;
      return await this.egress.request({ ...request, maxResponseBytes: MAX_PAGE, timeoutMs: 60_000, signal });
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof EgressError)) throw cause;
      throw new SourceError('api_unreachable', `The API cannot be reached: ${cause.message}`, { cause });
    }
  }
}

export const HTTP_API = connectorKind(
  { title: 'HTTP API', description: 'Items of a JSON API.', auth: 'secret' },
  HTTP_API_CONFIG,
  ({ egress }) => new HttpApiConnector(egress),
);

function authorized(
  address: string,
  { base_url, auth, headers }: HttpApiConfig,
): { url: string; headers: Record<string, string> } {
  const url = new URL(address);
  const sent: Record<string, string> = { accept: 'application/json', ...headers };
  if (auth.secret === undefined || auth.type === 'none') return { url: url.href, headers: sent };
  if (url.origin !== new URL(base_url).origin) {
    throw new SourceError(
      'bad_answer',
      `The API names a next page at another origin, ${url.origin}. The page was not read, because another origin must not receive the credentials of this API.`,
    );
  }
  switch (auth.type) {
    case 'bearer':
      sent.authorization = `Bearer ${auth.secret}`;
      break;
    case 'header':
      sent[auth.name] = auth.secret;
      break;
    case 'query':
      url.searchParams.set(auth.name, auth.secret);
  }
  return { url: url.href, headers: sent };
}

/** Removes the API key that some APIs repeat in their links, because the address is stored in the checkpoint. */
function nextPage(page: JsonValue, current: string, config: HttpApiConfig): string | undefined {
  const next = namedPage(page, current, config);
  if (next === undefined || config.auth.type !== 'query') return next;
  const url = new URL(next);
  url.searchParams.delete(config.auth.name);
  return url.href;
}

function namedPage(
  page: JsonValue,
  current: string,
  { base_url, next_pointer, next_parameter }: HttpApiConfig,
): string | undefined {
  const next = next_pointer === null ? undefined : valueAt(page, next_pointer);
  if ((typeof next !== 'string' && typeof next !== 'number') || next === '') return undefined;
  if (next_parameter !== null) {
    const url = new URL(base_url);
    url.searchParams.set(next_parameter, String(next));
    return url.href;
  }
  if (URL.canParse(String(next), current)) return new URL(String(next), current).href;
  throw new SourceError(
    'bad_answer',
    'The value at next_pointer is not a URL. If the value is a cursor, set next_parameter.',
  );
}

function itemOf(item: JsonValue, config: HttpApiConfig, visit: SourceVisit, keys: DuplicateKeys): SourceItem[] {
  const given = valueAt(item, config.key_pointer);
  if ((typeof given !== 'string' && typeof given !== 'number') || given === '') {
    visit.reportIncomplete({
      code: 'key_missing',
      message: `An item has no key at ${config.key_pointer}, so it was skipped. The item may be an indexed document, so this sync deletes no indexed documents. Check key_pointer of the source.`,
    });
    return [];
  }
  const key = String(given);
  return keys.isNew(key) ? [{ key, readItem: (known) => readItem(item, key, config, visit, known) }] : [];
}

async function readItem(
  item: JsonValue,
  key: string,
  config: HttpApiConfig,
  visit: SourceVisit,
  known?: KnownDocument,
): Promise<ItemReading> {
  const text = textAt(item, config.text_pointer);
  if (text === undefined) throw new DocumentError('text_missing', `The item has no string at ${config.text_pointer}.`);
  const { title_pointer, text_pointer, url_pointer, content_type: contentType } = config;
  const reading = cursorReader([title_pointer, text_pointer, url_pointer, contentType]);
  const cursor = reading(textAt(item, config.updated_at_pointer));
  if (cursor !== undefined && known?.validator?.cursor === cursor) return { kind: 'unchanged' };
  const [title, url] = [textAt(item, config.title_pointer), textAt(item, config.url_pointer) ?? null];
  const hash = sha256(canonicalJson({ text, title: title ?? null, url, contentType } satisfies JsonObject)).toString(
    'hex',
  );
  if (cursor === undefined && known?.hash === hash) return { kind: 'unchanged' };
  const read = await visit.extract({ bytes: Buffer.from(text), contentType: `${contentType}; charset=utf-8`, url });
  const validator = cursor === undefined ? null : { cursor };
  return {
    kind: 'document',
    document: { key, title: title ?? read.title ?? key, url, contentType, text: read.text, hash, validator },
  };
}

function textAt(item: JsonValue, pointer: string | null): string | undefined {
  const value = pointer === null ? undefined : valueAt(item, pointer);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function tooManyPages(most: number): { code: string; message: string } {
  return {
    code: 'too_many_pages',
    message: `The API has more than max_pages (${most}) pages. The other pages were not read, so no indexed document is deleted. Raise max_pages to read all pages.`,
  };
}
