import type { OauthProvider } from '@app/connections';
import type { JsonObject, JsonValue } from '@app/kernel';
import { jsonShape } from '@app/platform/json-shape';

/**
 * A request to the provider's API. Path, query and body are templates: `{scope}` is what is being listed, `{/pointer}` what stands at
 * a JSON Pointer of the item (`*` for every member).
 */
export type DescribedRequest = {
  method: 'GET' | 'POST';
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Sent as JSON. */
  body: JsonObject | null;
};

/** Something is the case when the text of a template matches a pattern. */
export type DescribedCondition = { value: string; matches: string };

/** How the text of an item is had. The first rule whose condition holds counts; an item without one is no document. */
export type DescribedContent = DescribedRequest & {
  when: DescribedCondition;
  /** Null: as the answer says. */
  media_type: string | null;
  /** Where the text is in a JSON answer. Null: the answer is the document. */
  text_pointer: string | null;
};

/** A provider of documents: how people authorise it, and how its API is read. Written by an operator or built in. */
export type OauthDescription = Omit<OauthProvider, 'name' | 'client'> & {
  api: {
    base_url: string;
    headers: Record<string, string>;
    /** What a source is narrowed to: the name of the list in its configuration, and what an entry looks like. */
    scope: { field: string; pattern: string; everything: string | null };
    list: DescribedRequest;
    /** How everything is listed where no scope is named. Null: as the scope `everything`. */
    list_everything: DescribedRequest | null;
    items_pointer: string;
    /** Where the next page is: at a pointer or in the `Link` header; put into the query or the body, or a URL by itself. */
    next: { pointer: string | null; link: boolean; query: string | null; body: string | null } | null;
    /** True at this place: the listing is not complete. */
    incomplete_pointer: string | null;
    item: { key: string; title: string | null; url: string | null; updated: string | null };
    /** An item that is listed in its turn. */
    folder: { when: DescribedCondition; scope: string } | null;
    contents: DescribedContent[];
  };
};

const TEXT = { type: 'string', maxLength: 2_000 };
const URL_TEXT = { ...TEXT, pattern: '^https?://' };
const POINTER = { ...TEXT, pattern: '^(/.*)?$' };
const TEXTS = { type: 'object', additionalProperties: TEXT, default: {} };
const nullable = (schema: { type: string }) => ({ ...schema, type: [schema.type, 'null'], default: null });

const object = (required: string[], properties: Record<string, JsonValue>) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const CONDITION = object(['value', 'matches'], { value: TEXT, matches: TEXT });

const REQUEST = {
  method: { enum: ['GET', 'POST'], default: 'GET' },
  path: { ...TEXT, pattern: '^/' },
  query: TEXTS,
  headers: TEXTS,
  body: nullable({ type: 'object' }),
};

const API = object(['base_url', 'scope', 'list', 'item', 'contents'], {
  base_url: URL_TEXT,
  headers: TEXTS,
  scope: object(['field'], {
    field: { ...TEXT, pattern: '^[a-z][a-z_]{0,40}$' },
    pattern: { ...TEXT, default: '^[A-Za-z0-9_.-]+$' },
    everything: nullable(TEXT),
  }),
  list: object(['path'], REQUEST),
  list_everything: nullable(object(['path'], REQUEST)),
  items_pointer: { ...POINTER, default: '' },
  next: nullable(object([], { pointer: nullable(POINTER), link: { type: 'boolean', default: false }, query: nullable(TEXT), body: nullable(TEXT) })), // prettier-ignore
  incomplete_pointer: nullable(POINTER),
  item: object(['key'], { key: TEXT, title: nullable(TEXT), url: nullable(TEXT), updated: nullable(TEXT) }),
  folder: nullable(object(['when', 'scope'], { when: CONDITION, scope: TEXT })),
  contents: {
    type: 'array',
    minItems: 1,
    items: object(['when', 'path'], { ...REQUEST, when: CONDITION, media_type: nullable(TEXT), text_pointer: nullable(POINTER) }), // prettier-ignore
  },
});

export const DESCRIPTION_SHAPE = jsonShape<OauthDescription>(
  object(['title', 'authorize_url', 'token_url', 'api'], {
    title: { ...TEXT, minLength: 1 },
    authorize_url: URL_TEXT,
    token_url: URL_TEXT,
    issuer: nullable(TEXT),
    scopes: { type: 'array', items: TEXT, default: [] },
    authorize_parameters: TEXTS,
    client_authentication: { enum: ['basic', 'post'], default: 'basic' },
    api: API,
  }),
);
