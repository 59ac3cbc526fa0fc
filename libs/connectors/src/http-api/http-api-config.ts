import { invalidRequest } from '@app/platform/json-shape';
import { type ConfigRules, isWebUrl, wrongUrl } from '../contract/connector.js';
import { CREDENTIAL_HINTS, SECRET_REFERENCE } from '../contract/secret-references.js';

/** Pointers are JSON Pointers (RFC 6901) into a page or into an item of a page. */
export type HttpApiConfig = {
  base_url: string;
  auth: { type: 'none' | 'bearer' | 'header' | 'query'; name: string; secret?: string };
  headers: Record<string, string>;
  items_pointer: string;
  /** If null, there is only one page. */
  next_pointer: string | null;
  /** The query parameter for the value at `next_pointer`. If null, that value is a URL. */
  next_parameter: string | null;
  max_pages: number;
  key_pointer: string;
  title_pointer: string | null;
  text_pointer: string;
  url_pointer: string | null;
  updated_at_pointer: string | null;
  content_type: 'text/plain' | 'text/markdown' | 'text/html';
};

const POINTER = { type: 'string', maxLength: 500, pattern: '^(/.*)?$' };
const OPTIONAL_POINTER = { ...POINTER, type: ['string', 'null'], default: null };

export const HTTP_API_CONFIG: ConfigRules<HttpApiConfig> = {
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['base_url', 'key_pointer', 'text_pointer'],
    properties: {
      base_url: {
        type: 'string',
        minLength: 1,
        maxLength: 2_000,
        title: 'Address',
        description: 'Address of the first page of items, for example https://api.example.com/articles.',
      },
      auth: {
        type: 'object',
        additionalProperties: false,
        default: { type: 'none' },
        required: ['type'],
        hints: CREDENTIAL_HINTS,
        title: 'Sign-in',
        properties: {
          type: { enum: ['none', 'bearer', 'header', 'query'], title: 'How the credential is sent' },
          name: {
            type: 'string',
            pattern: '^[A-Za-z0-9_.-]{1,100}$',
            default: 'X-API-Key',
            title: 'Name of the header or query parameter',
          },
          secret: { ...SECRET_REFERENCE, title: 'Credential' },
        },
      },
      headers: {
        title: 'Headers',
        type: 'object',
        default: {},
        maxProperties: 50,
        propertyNames: { type: 'string', pattern: '^[A-Za-z0-9-]{1,100}$' },
        additionalProperties: { type: 'string', maxLength: 2_000, pattern: '^[\\x20-\\x7e]*$' },
      },
      items_pointer: {
        ...POINTER,
        default: '',
        title: 'List of items',
        description: 'JSON Pointer to the list in a response, for example /data. If empty, the whole response.',
      },
      next_pointer: {
        ...OPTIONAL_POINTER,
        title: 'Next page',
        description:
          'JSON Pointer to the address or cursor of the next page, for example /next. If empty, one page is read.',
      },
      next_parameter: {
        type: ['string', 'null'],
        default: null,
        maxLength: 100,
        title: 'Parameter of the cursor',
        description: 'Query parameter for the value at the next page, if this value is a cursor and no address.',
      },
      max_pages: { type: 'integer', minimum: 1, maximum: 100_000, default: 1_000, title: 'Maximum number of pages' },
      key_pointer: {
        ...POINTER,
        title: 'Key of an item',
        description: 'JSON Pointer to a value that identifies the item, for example /id.',
      },
      title_pointer: {
        ...OPTIONAL_POINTER,
        title: 'Title of an item',
        description: 'JSON Pointer, for example /title.',
      },
      text_pointer: {
        ...POINTER,
        title: 'Text of an item',
        description: 'JSON Pointer to the text that searches find, for example /body.',
      },
      url_pointer: { ...OPTIONAL_POINTER, title: 'Link of an item', description: 'JSON Pointer, for example /url.' },
      updated_at_pointer: {
        ...OPTIONAL_POINTER,
        title: 'Time of the last change',
        description: 'JSON Pointer. Items with an unchanged value are not read again.',
      },
      content_type: {
        enum: ['text/plain', 'text/markdown', 'text/html'],
        default: 'text/plain',
        title: 'Format of the text',
      },
    },
  },
  check: checkHttpApi,
};

const CREDENTIAL = /^(authorization|cookie|proxy-authorization|x-api-key)$/i;

function checkHttpApi({ base_url, auth, headers }: HttpApiConfig, at: string): void {
  if (!isWebUrl(base_url)) throw invalidRequest([wrongUrl(`${at}/base_url`)]);
  if (auth.type !== 'none' && auth.secret === undefined) {
    const detail = `\`auth\` with the type ${auth.type} needs a secret.`;
    throw invalidRequest([{ pointer: `${at}/auth/secret`, detail, suggestion: 'Write `${{ secrets.NAME }}`.' }]);
  }
  if (auth.type === 'none' && auth.secret !== undefined) {
    const detail = '`auth` with the type none sends no secret.';
    const suggestion = 'Set `type` to bearer, header or query, or remove `auth`.';
    throw invalidRequest([{ pointer: `${at}/auth/type`, detail, suggestion }]);
  }
  const open = Object.keys(headers).find((name) => CREDENTIAL.test(name));
  if (open === undefined) return;
  const detail = `The header ${open} carries a credential, which a configuration must not contain in plain text.`;
  throw invalidRequest([{ pointer: `${at}/headers/${open}`, detail, suggestion: 'Use `auth` with a secret.' }]);
}
