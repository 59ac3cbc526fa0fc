import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { type Clock, DomainError, newId } from '@app/kernel';
import {
  type Histograms,
  type Logger,
  NO_SPAN,
  type OpenSpan,
  runInContext,
  type Tracing,
} from '@app/platform/observability';
import type { Principal } from '@app/workspace';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** Status that is logged if the connection ended before the response was complete. nginx logs the same number. */
const CLIENT_GONE = 499;
/** Paths that machines request every few seconds. They are logged only at the level `debug`. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * The first middleware. Takes the id of the request from a valid `X-Request-Id`, or creates a new one, and adds it to
 * all log lines of the request. When the request ends, writes a log line and records a metric. If tracing is enabled,
 * the request becomes a span of the trace in its `traceparent` header (W3C Trace Context), or of a new trace.
 */
export function requestContext(logger: Logger, metrics: Histograms, clock: Clock, tracing: Tracing): Middleware {
  const observe = requestSeconds(metrics);
  return (request, response, next): void => {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : newId('request');
    const served: ServedRequest = Object.assign(request, { id: requestId });
    response.setHeader('X-Request-Id', requestId);
    const startedAt = clock.monotonicMillis();
    const span = tracing.isOn && !PROBES.has(request.path) ? requestSpan(tracing, served) : NO_SPAN;
    response.once('close', () => {
      const millis = clock.monotonicMillis() - startedAt;
      const status = response.writableFinished ? response.statusCode : CLIENT_GONE;
      observe(served, status, millis / 1000);
      logRequest(logger, served, status, millis);
      endSpan(span, served, status);
    });
    const { traceparent } = span;
    const context = traceparent === undefined ? { requestId } : { requestId, traceparent };
    runInContext(context, () => next(complaintAbout(request)));
  };
}

function requestSpan(tracing: Tracing, { id, method = '', headers }: ServedRequest): OpenSpan {
  const { traceparent } = headers;
  const parent = typeof traceparent === 'string' ? traceparent : null;
  const attributes = { 'http.request.method': method, 'aas.request.id': id };
  return tracing.begin({ name: method, kind: 'server', parent, attributes });
}

// Sets the route and the workspace at the end of the request, because they are unknown at its start.
function endSpan(span: OpenSpan, request: ServedRequest, status: number): void {
  const route = routeOf(request);
  span.rename(`${request.method} ${route}`);
  span.set({
    'http.route': route,
    'http.response.status_code': status,
    'aas.workspace.id': request.principal?.workspaceId,
  });
  if (status >= 500 || status === CLIENT_GONE) span.fail(String(status));
  span.end();
}

// The event `close` is emitted outside the log context of the request, so the fields of this context are added here.
function logRequest(logger: Logger, request: ServedRequest, status: number, millis: number): void {
  const level = PROBES.has(request.path) ? 'debug' : 'info';
  if (!logger.isLevelEnabled(level)) return;
  const line = {
    requestId: request.id,
    workspaceId: request.principal?.workspaceId,
    keyId: request.principal?.key?.id,
    sessionId: request.principal?.session?.id,
    method: request.method,
    path: loggedPath(request.path),
    status,
    ms: Math.round(millis * 10) / 10,
  };
  logger[level](line, 'request');
}

/** The paths of a callback and of a link to a file contain a token, which must not be logged. */
function loggedPath(path: string): string {
  return path.replace(/^(\/+v1\/+callbacks\/+|\/+files\/+).*/i, '$1[redacted]');
}

/** Headers that may occur only once. Node uses the first value, but a proxy may have used another value. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'host',
  'idempotency-key',
  'x-service-webhook-secret',
]);

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    // The bundler removes a call of decodeURIComponent whose result is not used, although the call may throw.
    return typeof decodeURIComponent(url) === 'string';
  } catch {
    return false;
  }
}

/** Returns the error of a request that is invalid for every route, or undefined. */
function complaintAbout({ url = '', headers, rawHeaders, httpVersion }: IncomingMessage): DomainError | undefined {
  if (headers.host === undefined && httpVersion === '1.1') {
    return new DomainError('invalid_request', 'The request has no Host header. Send one.');
  }
  const repeated = repeatedHeader(rawHeaders);
  if (repeated !== undefined)
    return new DomainError('invalid_request', `The request has more than one ${repeated} header. Send one.`);
  if (isDecodable(url)) return undefined;
  return new DomainError(
    'invalid_request',
    'The URL contains a percent sign that does not begin an encoded UTF-8 character. Encode it as %25.',
  );
}

/** `rawHeaders` contains names and values alternately. */
function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] ?? '';
    const name = written.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.includes(name)) return written;
    seen.push(name);
  }
  return undefined;
}

/** A request to the API or to the stop listener. */
export interface ServedRequest extends IncomingMessage {
  /** Id of the request, which the first middleware sets. */
  id: string;
  /** Path of the URL, without the query. */
  path: string;
  /** The matched route with its pattern as `path`. */
  route?: unknown;
  /** The caller. Absent on routes that require no key or session. */
  principal?: Principal;
  /** Address of the metadata of the resource (RFC 9728), if clients can get access to the route by OAuth. */
  resourceMetadata?: string;
}

export interface ApiRequest extends Request, Pick<ServedRequest, 'id' | 'principal' | 'resourceMetadata'> {}

/** Passes the error of an invalid request to `next`. */
export type Middleware = (
  request: IncomingMessage & { path: string },
  response: ServerResponse,
  next: (error?: DomainError) => void,
) => void;

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Returns the function that records the duration of a request. The label is the route and never the path. */
function requestSeconds(metrics: Histograms): (request: ServedRequest, status: number, seconds: number) => void {
  const histogram = metrics.histogram(
    {
      name: 'aas_http_request_seconds',
      help: 'Seconds from the start of a request to the end of its response.',
      labels: ['method', 'route', 'status'],
    },
    BUCKETS,
  );
  // Caches the histogram of each label combination, because looking it up takes longer than recording a value. There
  // are few combinations.
  const series = new Map<string, { observe(seconds: number): void }>();
  return (request, status, seconds) => {
    const { method = '' } = request;
    const route = routeOf(request);
    const key = `${method} ${route} ${status}`;
    const known = series.get(key) ?? histogram.labels(method, route, String(status));
    series.set(key, known);
    known.observe(seconds);
  };
}

/** Returns the pattern of the matched route, or `none`. */
// Express declares `route` as any. It is absent if no route matched.
function routeOf({ route }: ServedRequest): string {
  const path: unknown = typeof route === 'object' && route !== null && 'path' in route ? route.path : undefined;
  return typeof path === 'string' ? path : 'none';
}
