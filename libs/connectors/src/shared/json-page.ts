import { isJsonObject, type JsonValue, parseExactJson } from '@app/kernel';
import type { EgressResponse } from '@app/platform/egress';
import { decodeText } from '@app/platform/text';
import { SourceError } from '../contract/connector.js';

export const MAX_PAGE = 20 * 1024 * 1024;

export function jsonPage({ status, headers, body, truncated }: EgressResponse, url: string): JsonValue {
  if (status === 401 || status === 403)
    throw new SourceError('access_denied', `${placeOf(url)} rejected the credentials (HTTP status ${status}).`);
  if (status === 429) {
    const later =
      headers['retry-after'] === undefined ? '' : ` The response has \`Retry-After: ${headers['retry-after']}\`.`;
    throw new SourceError(
      'rate_limited',
      `${placeOf(url)} rejected the request because of its rate limit (HTTP status 429).${later}`,
    );
  }
  if (status >= 300 || status === 204)
    throw new SourceError('bad_answer', `${placeOf(url)} responded with HTTP status ${status}.`);
  if (truncated) throw new SourceError('bad_answer', `A page of the API is larger than ${MAX_PAGE / 1024 / 1024} MiB.`);
  try {
    return parseExactJson(decodeText(body, { contentType: headers['content-type'] ?? '' }).text);
  } catch (cause) {
    throw new SourceError('bad_answer', `The response of ${placeOf(url)} is not valid JSON.`, { cause });
  }
}

export function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Returns the value at a JSON Pointer (RFC 6901), or undefined if there is none. */
export function valueAt(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return value;
}
