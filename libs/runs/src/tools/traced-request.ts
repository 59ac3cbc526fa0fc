import type { HttpCall } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { HttpRequest } from './described-request.js';

const MAX_BODY_CHARACTERS = 4_096;

/** The same in every request, so they tell nothing. */
const USUAL = new Set(['accept', 'user-agent']);
const CREDENTIALS = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * Returns the request as the trace shows it. The caller redacts the secrets in it. A body that is longer, or no text, is
 * absent.
 * @param isPrivate true if the run redacts values. Encoded values cannot be found in an address, so it has the names of
 * the parameters instead
 */
export function tracedRequest(
  { method, url, headers, body }: HttpRequest,
  { path }: Pick<HttpCall, 'path'>,
  isPrivate: boolean,
): JsonObject {
  if (isPrivate) return { method, url: `${new URL(url).origin}${pathNames(path)}` };
  const shown = Object.entries(headers)
    .filter(([name]) => !USUAL.has(name.toLowerCase()))
    .map(([name, value]) => [name, CREDENTIALS.has(name.toLowerCase()) ? '[redacted]' : value]);
  return {
    method,
    url,
    headers: Object.fromEntries(shown) as JsonObject,
    ...(typeof body === 'string' && body.length <= MAX_BODY_CHARACTERS && { body }),
  };
}

function pathNames(path: HttpCall['path']): string {
  return path.map((part) => ('text' in part ? part.text : `{${'parameter' in part ? part.parameter : '…'}}`)).join('');
}
