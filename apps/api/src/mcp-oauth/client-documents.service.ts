import { Injectable } from '@nestjs/common';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { EgressClient, egressFetch } from '@app/platform/egress';
import { isLoopbackUri, isRedirectUri } from '@app/workspace';
import { textOf } from './access-parameters.js';

export const MAX_DOCUMENT_BYTES = 5 * 1024;
const TIMEOUT_MILLIS = 5_000;

/** The members of a metadata document that the authorization server uses. It refuses a document with a secret. */
const MEMBERS = [
  'client_id',
  'client_name',
  'client_secret',
  'client_secret_expires_at',
  'redirect_uris',
  'token_endpoint_auth_method',
];

/** Reads the metadata documents of clients, from addresses that strangers choose. */
@Injectable()
export class ClientDocumentsService {
  /** A `fetch` for the authorization server. It follows no redirect and rejects a document that is too large. */
  readonly fetch: typeof fetch;

  constructor(egress: EgressClient) {
    const send = egressFetch(egress, { timeoutMs: TIMEOUT_MILLIS, maxResponseBytes: MAX_DOCUMENT_BYTES });
    this.fetch = async (url, { method, headers, signal } = {}) => {
      const response = await send(url, {
        ...(method !== undefined && { method }),
        ...(headers && { headers }),
        ...(signal && { signal }),
      });
      if (response.status !== 200) return response;
      const document = clientDocument(JSON.parse(await response.text()) as JsonValue);
      return Response.json(document, { headers: cacheHeaders(response.headers) });
    };
  }
}

/**
 * Returns the used members of a metadata document. A client with redirect addresses on loopback is a program on the
 * computer of the person (a native client), whose port may change, even if the document does not say so.
 * @throws Error if a redirect address is neither https nor on loopback, or if there is none
 */
export function clientDocument(given: JsonValue): JsonObject {
  if (!isJsonObject(given)) throw new Error('The metadata document is not an object.');
  const { redirect_uris: uris } = given;
  const isValid =
    Array.isArray(uris) && uris.length > 0 && uris.every((uri) => typeof uri === 'string' && isRedirectUri(uri));
  if (!isValid) throw new Error('redirect_uris of the metadata document must contain https or loopback addresses.');
  const isNative = uris.some((uri) => isLoopbackUri(textOf(uri)));
  const used = Object.fromEntries(MEMBERS.flatMap((name) => (name in given ? [[name, given[name] ?? null]] : [])));
  return { ...used, application_type: isNative ? 'native' : 'web' };
}

function cacheHeaders(headers: Headers): Record<string, string> {
  const control = headers.get('cache-control');
  return control === null ? {} : { 'cache-control': control };
}
