import { type HttpCall, type HttpParameter, scalarText } from '@app/definition';
import { isJsonObject, type JsonValue } from '@app/kernel';

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** A `FormData` body is encoded later, when the request is sent. */
  body: string | Uint8Array | FormData | null;
}

/**
 * Builds a request as an OpenAPI document describes it. Properties that the document lists as parameters go to the
 * query, a header, a cookie or the body. All other properties become fields of the JSON body. `url` already contains
 * the path parameters.
 */
export function describedRequest(
  { method, parameters }: HttpCall,
  url: URL,
  headers: Record<string, string>,
  rest: Map<string, JsonValue>,
): HttpRequest {
  const sent = { ...headers };
  const cookies: string[] = [];
  const members: [string, JsonValue][] = [];
  let whole: JsonValue | undefined;
  for (const parameter of parameters) {
    const { property, name } = parameter;
    const value = rest.get(property);
    rest.delete(property);
    if (value === undefined || isOmitted(parameter, value)) continue;
    if (parameter.in === 'query') for (const [key, text] of pairs(parameter, value)) url.searchParams.append(key, text);
    else if (parameter.in === 'header') sent[name.toLowerCase()] ??= joined(value, ',');
    else if (parameter.in === 'cookie') cookies.push(`${name}=${encodeURIComponent(joined(value, ','))}`);
    else if (name === '') whole = value;
    else if (parameter.in === 'body') members.push([name, value]);
  }
  members.push(...rest);
  if (cookies.length > 0) sent.cookie = cookies.join('; ');
  const body = whole ?? (members.length > 0 ? Object.fromEntries(members) : undefined);
  if (body === undefined) return { method, url: url.href, headers: sent, body: null };
  return {
    method,
    url: url.href,
    headers: { 'content-type': 'application/json', ...sent },
    body: JSON.stringify(body),
  };
}

/** A parameter with the value null is not sent, because it would become the text `null`. JSON can express null. */
function isOmitted(parameter: HttpParameter, value: JsonValue): boolean {
  return value === null && parameter.in !== 'body';
}

const SEPARATORS: Partial<Record<HttpParameter['style'], string>> = { spaceDelimited: ' ', pipeDelimited: '|' };

/** Converts a value to query parameters (OpenAPI 3.1, section 4.8.12). */
function pairs({ name, style, explode }: HttpParameter, value: JsonValue): [string, string][] {
  if (style === 'json') return [[name, JSON.stringify(value)]];
  if (Array.isArray(value)) {
    if (explode) return present(value).map((item) => [name, scalarText(item)]);
    return [[name, joined(value, SEPARATORS[style] ?? ',')]];
  }
  if (!isJsonObject(value)) return [[name, scalarText(value)]];
  const members = Object.entries(value).filter(([, member]) => member !== null);
  if (style === 'deepObject') return members.map(([key, member]) => [`${name}[${key}]`, scalarText(member)]);
  if (explode) return members.map(([key, member]) => [key, scalarText(member)]);
  return [[name, members.map(([key, member]) => `${key},${scalarText(member)}`).join(',')]];
}

function joined(value: JsonValue, separator: string): string {
  return Array.isArray(value) ? present(value).map(scalarText).join(separator) : scalarText(value);
}

function present(values: readonly JsonValue[]): JsonValue[] {
  return values.filter((value) => value !== null);
}
