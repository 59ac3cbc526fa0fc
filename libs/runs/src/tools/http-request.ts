import {
  allowsUrl,
  type BodyKind,
  type ComputedUrl,
  credentialHeaders,
  type CustomRequest,
  ExpressionError,
  headerValues,
  hostText,
  type HttpCall,
  type HttpTool,
  scalarText,
  type Scope,
} from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { appendPairs, describedRequest, type HttpRequest } from './described-request.js';
import { encodeBody, itemsOf } from './http-body.js';
import { pathText } from './parameter-style.js';
import { UnusableRequest } from './unusable-request.js';

export type HttpSide = Pick<HttpTool, 'headers' | 'auth' | 'baseUrl' | 'allowedHosts'>;

const CONTROL = /\p{Cc}/u;

/**
 * If the definition computes the query or the body with an expression, they are not added there. - Credentials that are
 * headers or query parameters are added. The caller adds other credentials.
 * @throws UnusableRequest if a part of the request cannot be computed or used, or if its host is not allowed
 */
export function buildHttpRequest(tool: HttpSide, call: HttpCall, request: JsonObject, facts: Scope): HttpRequest {
  try {
    return build(tool, call, request, facts);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new UnusableRequest(`The request cannot be computed: ${error.message}`);
  }
}

function build(tool: HttpSide, call: HttpCall, request: JsonObject, facts: Scope): HttpRequest {
  const rest = new Map(Object.entries(request));
  const path = pathOf(call, rest, facts);
  const url = urlOf(tool, path, facts);
  const { custom } = call;
  for (const name of custom?.named ?? []) rest.delete(name);
  const accept = (custom?.response ?? 'json') === 'json' ? 'application/json' : '*/*';
  const own = { accept, 'user-agent': 'agent-automation-service' };
  const headers: Record<string, string> = Object.assign(own, headersOf(tool, custom, facts));
  const built =
    call.placement === 'described'
      ? describedRequest(call, url, headers, rest)
      : { method: call.method, ...placed(call, url, headers, rest, facts) };
  return withQueryCredentials(built, tool, facts);
}

function pathOf({ path, parameters }: HttpCall, rest: Map<string, JsonValue>, facts: Scope): string {
  return path
    .map((part) => {
      if ('text' in part) return part.text;
      if ('value' in part) return pathSegment('A computed part of the path', part.value.evaluate(facts));
      const described = parameters.find((one) => one.in === 'path' && one.property === part.parameter);
      const write = described && ((value: JsonValue) => pathText(described, value));
      const segment = pathSegment(`The path parameter \`${part.parameter}\``, rest.get(part.parameter), write);
      rest.delete(part.parameter);
      return segment;
    })
    .join('');
}

/** If the definition sets the header `content-type`, this header is kept. */
function placed(
  call: HttpCall,
  url: URL,
  headers: Record<string, string>,
  rest: ReadonlyMap<string, JsonValue>,
  facts: Scope,
): Pick<HttpRequest, 'url' | 'headers' | 'body'> {
  const { custom, method } = call;
  const kind = bodyKind(call);
  const isInBody = kind !== 'none' && (call.placement === 'body' || (custom?.body ?? null) !== null);
  if (custom?.query) appendQuery(url, custom.query, facts);
  else if (!isInBody && call.placement === 'query') appendRest(url, rest);
  if (kind === 'none' || method === 'GET' || method === 'HEAD') return { url: url.href, headers, body: null };
  const content = custom?.content ? custom.content.evaluate(facts) : Object.fromEntries(rest);
  const { body, contentType } = encodeBody(kind, content);
  return { url: url.href, headers: { ...(contentType !== null && { 'content-type': contentType }), ...headers }, body };
}

/**
 * If the definition sets no encoding, returns `json` if the definition sets `content`, or if the arguments of this HTTP
 * method belong in the body. In all other cases, returns `none`: the request has no body.
 */
function bodyKind({ custom, placement }: HttpCall): BodyKind {
  if (custom?.body) return custom.body;
  return placement === 'body' || custom?.content ? 'json' : 'none';
}

function appendQuery(url: URL, query: NonNullable<CustomRequest['query']>, facts: Scope): void {
  for (const [name, template] of Object.entries(query)) {
    const value = template.evaluate(facts);
    for (const item of itemsOf(value)) url.searchParams.append(name, scalarText(item));
  }
}

function appendRest(url: URL, rest: ReadonlyMap<string, JsonValue>): void {
  for (const [name, value] of rest) {
    for (const item of itemsOf(value)) url.searchParams.append(name, scalarText(item));
  }
}

function urlOf({ baseUrl, allowedHosts }: HttpSide, path: string, facts: Scope): URL {
  const base = typeof baseUrl === 'string' ? baseUrl : computedUrl(baseUrl, facts);
  const text = path === '' ? base : (base.endsWith('/') ? base.slice(0, -1) : base) + path;
  if (!URL.canParse(text)) throw new UnusableRequest('`base_url` and `path` do not result in a valid URL.');
  const url = new URL(text);
  if (allowedHosts && !allowsUrl(allowedHosts, url)) throw deniedHost(isSecret(baseUrl) ? null : url);
  return url;
}

/** If the base URL was computed from a secret, the caller must pass null, so that the error does not show the host. */
export function deniedHost(url: URL | null): UnusableRequest {
  const host = url === null ? 'The host of `base_url`' : `The host ${hostText(url)}`;
  return new UnusableRequest(`${host} is not in \`allowed_hosts\` of the tool.`, 'tool_denied');
}

function isSecret(baseUrl: string | ComputedUrl): boolean {
  return typeof baseUrl !== 'string' && baseUrl.parts.some((part) => 'value' in part && part.isSecret);
}

/**
 * Computes `base_url` from an expression. The computed parts are not percent-encoded, so a value that could select
 * another host is rejected.
 */
function computedUrl({ parts }: ComputedUrl, facts: Scope): string {
  const refuse = (why: string): never => {
    throw new UnusableRequest(`\`base_url\` ${why}.`);
  };
  const written = (value: JsonValue): string =>
    value === null ? refuse('has a part without a value') : scalarText(value);
  const text = parts.map((part) => ('text' in part ? part.text : written(part.value.evaluate(facts)))).join('');
  if (/[\s\p{Cc}]/u.test(text)) return refuse('contains a space or a control character');
  const authority = /^https?:\/\/([^/\\?#]*)/i.exec(text)?.[1];
  if (authority === undefined || authority === '') return refuse('is not an absolute http or https URL');
  if (authority.includes('@')) return refuse('contains a user name');
  if (/[?#]/.test(text)) return refuse('contains `?` or `#`');
  return text;
}

/**
 * A header of the operation replaces that of the tool, also if its value is null, which omits the header. Headers of
 * the credentials replace both.
 */
function headersOf(tool: HttpSide, custom: CustomRequest | undefined, facts: Scope): Record<string, string> {
  const ofTool = Object.entries(tool.headers).map(([name, template]) => [name.toLowerCase(), template] as const);
  const headers = {
    ...headerValues({ ...Object.fromEntries(ofTool), ...custom?.headers }, facts),
    ...credentialHeaders(tool.auth, facts),
  };
  const broken = Object.entries(headers).find(([, value]) => CONTROL.test(value));
  if (broken) throw new UnusableRequest(`The header \`${broken[0]}\` contains a control character.`);
  return headers;
}

function withQueryCredentials(request: HttpRequest, { auth }: HttpSide, facts: Scope): HttpRequest {
  if (auth?.kind !== 'query') return request;
  const url = new URL(request.url);
  // The other pairs stay as they are: a parameter may contain delimiters that must not be encoded.
  const others = url.search
    .slice(1)
    .split('&')
    .filter((pair) => !new URLSearchParams(pair).has(auth.name));
  url.search = others.join('&');
  appendPairs(url, [new URLSearchParams([[auth.name, scalarText(auth.value.evaluate(facts))]]).toString()]);
  return { ...request, url: url.href };
}

/**
 * Rejects dot segments, because URL parsers resolve them even if they are percent-encoded, and a value must not select
 * another path.
 */
function pathSegment(
  name: string,
  value: JsonValue | undefined,
  write = (given: JsonValue): string => encodeURIComponent(scalarText(given)),
): string {
  if (value === undefined || value === null || value === '') throw new UnusableRequest(`${name} has no value.`);
  if (!scalarText(value).isWellFormed()) throw new UnusableRequest(`${name} is not valid Unicode.`);
  const text = write(value);
  if (text === '') throw new UnusableRequest(`${name} has no value.`);
  if (text === '.' || text === '..') throw new UnusableRequest(`${name} must not be \`${text}\`.`);
  return text;
}
