import type { JsonObject, JsonValue } from '@app/kernel';
import { jsonShape } from '@app/platform/json-shape';

/**
 * Path, query and body are templates: `{scope}` is the scope to list, `{/pointer}` is the value at a JSON Pointer into
 * the item (`*` stands for every member).
 */
export type DescribedRequest = {
  method: 'GET' | 'POST';
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: JsonObject | null;
};

/** A condition that is true if the filled template `value` matches the regular expression `matches`. */
export type DescribedCondition = { value: string; matches: string };

/**
 * The connector uses the first entry of `contents` whose condition is true. If no condition is true, the item is not a
 * document.
 */
export type DescribedContent = DescribedRequest & {
  when: DescribedCondition;
  /** If null, the Content-Type of the response is used. */
  media_type: string | null;
  /** If null, the whole response is the document. */
  text_pointer: string | null;
};

/**
 * A response identifies the page by the value at `pointer` or, if `link` is true, in the `Link` header. The next
 * request sends this value as the query parameter `query` or the body member `body`. If `query` and `body` are null,
 * the value is the URL of the page.
 */
export type DescribedNextPage = { pointer: string | null; link: boolean; query: string | null; body: string | null };

export type DescribedList = DescribedRequest & { items_pointer: string; next: DescribedNextPage | null };

/** `id` and `title` are templates; an item without an id is left out. */
export type DescribedChoices = DescribedList & { id: string; title: string };

export type ApiDescription = {
  base_url: string;
  headers: Record<string, string>;
  /**
   * `field`: the name of the list in the configuration of a source. `everything`: the scope that contains all
   * documents.
   */
  scope: { field: string; pattern: string; everything: string | null; choices: DescribedChoices | null };
  list: DescribedRequest;
  /** The request that lists everything if the source names no scope. If null, the scope `everything` is listed. */
  list_everything: DescribedRequest | null;
  items_pointer: string;
  next: DescribedNextPage | null;
  /** JSON Pointer into a response. If the value there is true, the listing is incomplete. */
  incomplete_pointer: string | null;
  item: { key: string; title: string | null; url: string | null; updated: string | null };
  /** Recognises items that contain other items, such as folders. The connector also lists each such item as a scope. */
  folder: { when: DescribedCondition; scope: string } | null;
  contents: DescribedContent[];
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

const NEXT_PAGE = object([], {
  pointer: nullable(POINTER),
  link: { type: 'boolean', default: false },
  query: nullable(TEXT),
  body: nullable(TEXT),
});

const CHOICES = object(['path', 'id', 'title'], {
  ...REQUEST,
  items_pointer: { ...POINTER, default: '' },
  next: nullable(NEXT_PAGE),
  id: TEXT,
  title: TEXT,
});

const CONTENT = object(['when', 'path'], {
  ...REQUEST,
  when: CONDITION,
  media_type: nullable(TEXT),
  text_pointer: nullable(POINTER),
});

export const API_SHAPE = jsonShape<ApiDescription>(
  object(['base_url', 'scope', 'list', 'item', 'contents'], {
    base_url: URL_TEXT,
    headers: TEXTS,
    scope: object(['field'], {
      field: { ...TEXT, pattern: '^[a-z][a-z_]{0,40}$' },
      pattern: { ...TEXT, default: '^[A-Za-z0-9_.-]+$' },
      everything: nullable(TEXT),
      choices: nullable(CHOICES),
    }),
    list: object(['path'], REQUEST),
    list_everything: nullable(object(['path'], REQUEST)),
    items_pointer: { ...POINTER, default: '' },
    next: nullable(NEXT_PAGE),
    incomplete_pointer: nullable(POINTER),
    item: object(['key'], { key: TEXT, title: nullable(TEXT), url: nullable(TEXT), updated: nullable(TEXT) }),
    folder: nullable(object(['when', 'scope'], { when: CONDITION, scope: TEXT })),
    contents: {
      type: 'array',
      minItems: 1,
      items: CONTENT,
    },
  }),
);
