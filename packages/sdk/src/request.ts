import { type Duration, durationMillis, textMillis, timeBefore } from './durations.js';
import type { Route } from './operation-types.js';
import type { RequestOptions } from './options.js';
import type { Repetition } from './retries.js';

/** How a body is sent. */
interface Sending {
  /** The content cannot be sent again, so the request is not retried. */
  isOnce?: boolean;
  onProgress?: (progress: { sent: number; total: number | null }) => void;
}

export class RawBody {
  constructor(
    readonly type: string,
    readonly content: string | Uint8Array<ArrayBuffer> | Blob | (() => ReadableStream<Uint8Array>),
    readonly sending: Sending = {},
  ) {}
}

export interface RequestParts {
  path?: object;
  query?: object;
  /** It is sent as JSON, unless it is a {@link RawBody} or a `FormData`. */
  body?: unknown;
  headers?: Readonly<Record<string, string | undefined>>;
  /**
   * How long the service may wait for the outcome of a run before it responds, from 1 to 60 seconds. Sent in the header
   * `Prefer`.
   */
  wait?: Duration;
  isAnonymous?: boolean;
}

export interface PreparedRequest extends Repetition {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: RequestInit['body'] | (() => ReadableStream<Uint8Array>);
  onProgress: Sending['onProgress'];
  /** This time is added to the time limit of the call. */
  waitMillis: number;
  isAnonymous: boolean;
}

interface Target {
  method: string;
  path: string;
  isIdempotent: boolean;
}

/** The path has its parameters in braces. */
export function targetOf(route: Route): Target {
  const [method = '', path = ''] = route.split(' ');
  return { method: method.replace('*', ''), path, isIdempotent: method.endsWith('*') };
}

/**
 * Builds the request of an operation.
 *
 * @throws {TypeError} for an id or a query that cannot be sent
 */
export function operationRequest(
  route: Route,
  parts: RequestParts,
  options: RequestOptions,
  now: number,
): PreparedRequest {
  const target = targetOf(route);
  const ids = { ...parts.path } as Record<string, string | number>;
  const path = target.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, ids[name]));
  return prepare({ ...target, path }, parts, options, now);
}

export function rawRequest(
  method: string,
  path: string,
  parts: RequestParts,
  options: RequestOptions,
  now: number,
): PreparedRequest {
  return prepare({ method: method.toUpperCase(), path, isIdempotent: false }, parts, options, now);
}

function prepare(
  { method, path, isIdempotent }: Target,
  { query = {}, body, headers = {}, wait, isAnonymous = false }: RequestParts,
  options: RequestOptions,
  now: number,
): PreparedRequest {
  const isSafe = method === 'GET' || method === 'HEAD';
  const key = options.idempotencyKey ?? (isIdempotent ? newKey() : undefined);
  const content = contentOf(body);
  const waitSeconds = wait === undefined ? 0 : Math.ceil(durationMillis(wait, 'wait') / 1_000);
  return {
    method,
    target: path + queryText(query, now),
    isSafe,
    isRepeatable:
      (method !== 'POST' || key !== undefined) && !(body instanceof RawBody && body.sending.isOnce === true),
    body: content.body,
    onProgress: content.onProgress,
    waitMillis: waitSeconds * 1_000,
    isAnonymous,
    headers: lowered({
      accept: 'application/json',
      ...(content.type !== undefined && { 'content-type': content.type }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(options.ifMatch !== undefined && { 'if-match': `"${options.ifMatch}"` }),
      ...(waitSeconds > 0 && { prefer: `wait=${waitSeconds}` }),
      ...headers,
      ...options.headers,
    }),
  };
}

/**
 * Encodes one path parameter.
 *
 * @throws {TypeError} if the value is empty, `.` or `..`, because such a value would change the requested path
 */
function segment(name: string, value: string | number | undefined): string {
  const text = String(value ?? '');
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`The ${name} must be an id or a name, not "${text}".`);
  return encodeURIComponent(text);
}

const ID = { agt: /^agt_[0-9a-z]{26}$/, kb: /^kb_[0-9a-z]{26}$/ };

export function agentId(idOrName: string): string {
  return idOr(idOrName, ID.agt);
}

/** Converts the name of a knowledge base to `name:<name>`, as the API expects it in a path. Returns an id unchanged. */
export function baseId(idOrName: string): string {
  return idOr(idOrName, ID.kb);
}

function idOr(idOrName: string, id: RegExp): string {
  return idOrName === '' || id.test(idOrName) || idOrName.startsWith('name:') ? idOrName : `name:${idOrName}`;
}

function contentOf(body: unknown): Partial<Pick<PreparedRequest, 'body' | 'onProgress'>> & { type?: string } {
  if (body === undefined) return { body: undefined };
  if (body instanceof RawBody) return { body: body.content, type: body.type, onProgress: body.sending.onProgress };
  // `fetch` sets the content type of a form, because only `fetch` knows the boundary between its parts.
  if (body instanceof FormData) return { body };
  return { body: JSON.stringify(body), type: 'application/json' };
}

function queryText(query: object, now: number): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (each !== undefined && each !== null) parameters.append(name, parameterText(name, each, now));
    }
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

const PAST = new Set(['since', 'until']);

/**
 * Converts a duration to a time. This time is before `now` for `since` and `until`, and after `now` for
 * `expires_before`.
 */
function parameterText(name: string, value: unknown, now: number): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' && PAST.has(name)) return timeBefore(value, now);
  const millis = typeof value === 'string' ? textMillis(value) : undefined;
  if (millis !== undefined && name === 'expires_before') return new Date(now + millis).toISOString();
  return String(value);
}

function lowered(headers: Record<string, string | undefined>): Record<string, string> {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Does not use `crypto.randomUUID`, because browsers do not offer it to pages that are served over plain HTTP. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
