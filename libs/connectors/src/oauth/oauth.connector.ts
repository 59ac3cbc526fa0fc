import { parseExactJson } from '@app/kernel';
import type { JsonObject, JsonValue } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import type { EgressClient, EgressResponse } from '@app/platform/egress';
import type { Connector, ItemBatch, SourceVisit } from '../contract/connector.js';
import type { ItemReading, KnownDocument, SourceItem } from '../contract/items.js';
import { essenceOf } from '@app/platform/extraction';
import { valueAt } from '../shared/json-page.js';
import { DocumentError } from '@app/platform/extraction';
import { decodeText } from '@app/platform/text';
import { SourceError } from '../contract/connector.js';
import { filled, type TemplateValues } from './described-template.js';
import type { DescribedCondition, DescribedContent } from './oauth-description.js';
import type { SourceProvider } from './source-providers.service.js';
import { ProviderApi } from './provider-api.js';

/** Maximum number of scopes and folders in a checkpoint. */
const MAX_FOLDERS = 10_000;

/**
 * `next`: the page at which the listing of the first waiting scope continues. `met`: all scopes that were ever in
 * `waiting`. `flaw`: the reason why the listing is incomplete, or null if it is complete so far.
 */
type Listing = {
  waiting: string[];
  next: string | null;
  met: string[];
  flaw: { code: string; message: string } | null;
};

export class OauthConnector implements Connector {
  readonly parallelism = 4;
  readonly isAuthoritative = false;

  constructor(
    private readonly provider: SourceProvider,
    private readonly egress: EgressClient,
  ) {}

  async *enumerate(visit: SourceVisit): AsyncGenerator<ItemBatch> {
    const api = new ProviderApi(this.provider, visit, this.egress);
    const listing = visit.checkpoint ? restored(visit.checkpoint) : this.initialListing(visit.config);
    const met = new Set(listing.met);
    if (listing.flaw) visit.reportIncomplete(listing.flaw);
    const recorded: SourceVisit = {
      ...visit,
      reportIncomplete: (flaw) => visit.reportIncomplete((listing.flaw ??= flaw)),
    };
    for (let scope = listing.waiting[0]; scope !== undefined; scope = listing.waiting[0]) {
      const page = await api.readPage(scope, listing.next);
      if (page.isIncomplete) recorded.reportIncomplete(this.incomplete(scope));
      if (page.next !== null && page.next === listing.next)
        throw new SourceError(
          'paging_loop',
          `${this.provider.title} returned the same next page twice, so its list does not end. Sync again later.`,
        );
      this.queueFolders(page.items, listing, met, recorded);
      listing.next = page.next;
      if (page.next === null) listing.waiting.shift();
      const items = page.items.flatMap((item) => this.itemOf({ scope, item }, api, visit));
      yield { items, checkpoint: { ...listing, waiting: [...listing.waiting], met: [...met] } };
    }
  }

  private initialListing(config: JsonObject): Listing {
    const { scope, list_everything: all } = this.provider.api;
    const named = (config[scope.field] ?? []) as string[];
    const everything = all ? [''] : scope.everything === null ? [] : [scope.everything];
    const waiting = named.length > 0 ? named : everything;
    if (waiting.length > 0) return { waiting: [...waiting], next: null, met: [...waiting], flaw: null };
    const message = `The source does not name the ${scope.field} to read. PATCH the source with {"config": {"${scope.field}": […]}}.`;
    throw new SourceError('scope_missing', message);
  }

  private queueFolders(items: readonly JsonValue[], listing: Listing, met: Set<string>, visit: SourceVisit): void {
    const { folder, scope } = this.provider.api;
    if (!folder) return;
    for (const item of items) {
      if (!holds(folder.when, { scope: '', item })) continue;
      const inner = filled(folder.scope, { scope: '', item });
      if (inner === undefined || met.has(inner) || !new RegExp(scope.pattern).test(inner)) continue;
      if (met.size >= MAX_FOLDERS) {
        const message = `There are more than ${MAX_FOLDERS} folders. The other folders were not read, so no indexed document is deleted. List fewer folders in ${scope.field}.`;
        return visit.reportIncomplete({ code: 'too_many_folders', message });
      }
      met.add(inner);
      listing.waiting.push(inner);
    }
  }

  private itemOf(values: TemplateValues, api: ProviderApi, visit: SourceVisit): SourceItem[] {
    const content = this.provider.api.contents.find(({ when }) => holds(when, values));
    const key = content && filled(this.provider.api.item.key, values);
    if (!content || key === undefined || key === '') return [];
    return [{ key, readItem: (known) => this.readItem(key, values, content, { api, visit, known }) }];
  }

  private async readItem(
    key: string,
    values: TemplateValues,
    content: DescribedContent,
    { api, visit, known }: { api: ProviderApi; visit: SourceVisit; known: KnownDocument | undefined },
  ): Promise<ItemReading> {
    const { cursor, title, url } = this.fieldsOf(values);
    if (cursor !== undefined && known?.validator?.cursor === cursor) return { kind: 'unchanged' };
    const answer = await api.readContent(content, values);
    // The document was deleted after it was listed.
    if (!answer || answer.status === 404 || answer.status === 410) return { kind: 'absent' };
    const bytes = this.bytesOf(answer, content);
    const type = typeOf(answer, content, values);
    const hash = sha256(Buffer.concat([bytes, Buffer.from(JSON.stringify([title, url]))])).toString('hex');
    const validator = cursor === undefined ? null : { cursor };
    if (validator === null && known?.hash === hash) return { kind: 'unchanged' };
    const read = await visit.extract({ bytes, contentType: type, url: url ?? key });
    const document = { key, title: title ?? read.title ?? key, url, contentType: essenceOf(type), text: read.text };
    return { kind: 'document', document: { ...document, hash, validator } };
  }

  private fieldsOf(values: TemplateValues): { cursor?: string; title?: string; url: string | null } {
    const { updated, title, url } = this.provider.api.item;
    return { cursor: optional(updated, values), title: optional(title, values), url: optional(url, values) ?? null };
  }

  private bytesOf({ status, body, truncated }: EgressResponse, { text_pointer }: DescribedContent): Buffer {
    const { title } = this.provider;
    if (status === 429)
      throw new SourceError(
        'rate_limited',
        `${title} rejected the request because of its rate limit (HTTP status 429).`,
      );
    if (status !== 200)
      throw new DocumentError('bad_answer', `${title} responded with HTTP status ${status} for this document.`);
    if (truncated) throw new DocumentError('document_too_large', 'The document is larger than 50 MiB.');
    if (text_pointer === null) return body;
    const text = valueAt(parsed(body), text_pointer);
    if (typeof text === 'string') return Buffer.from(text);
    throw new DocumentError('text_missing', `The response of ${title} contains no text at ${text_pointer}.`);
  }

  private incomplete(scope: string): { code: string; message: string } {
    const message = `${this.provider.title} returned an incomplete list${scope && ` of ${scope}`}, so no indexed document is deleted.`;
    return { code: 'listing_incomplete', message };
  }
}

function holds({ value, matches }: DescribedCondition, values: TemplateValues): boolean {
  const text = filled(value, values);
  return text !== undefined && new RegExp(matches).test(text);
}

function typeOf(
  { headers }: EgressResponse,
  { media_type: described }: DescribedContent,
  values: TemplateValues,
): string {
  return optional(described, values) ?? headers['content-type'] ?? '';
}

function optional(template: string | null, values: TemplateValues): string | undefined {
  return template === null ? undefined : filled(template, values);
}

function restored(checkpoint: JsonObject): Listing {
  const listing = checkpoint as Listing;
  return { ...listing, waiting: [...listing.waiting] };
}

function parsed(body: Buffer): JsonValue {
  try {
    return parseExactJson(decodeText(body).text);
  } catch (cause) {
    throw new DocumentError('bad_answer', 'The response for this document is not valid JSON.', { cause });
  }
}
