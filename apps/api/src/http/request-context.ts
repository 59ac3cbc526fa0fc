import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { type Clock, DomainError, newId } from '@app/kernel';
import {
  type Logger,
  type Metrics,
  NO_SPAN,
  type OpenSpan,
  runInContext,
  type Tracing,
} from '@app/platform/observability';
import type { Principal } from '@app/workspace';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** The status of a request whose connection ended before the response (the same as in nginx). */
const CLIENT_GONE = 499;
/** Paths that machines request every few seconds; they must not fill the logs. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * The first middleware. It gives the request an id, which is a valid incoming `X-Request-Id` or a new id. It adds the
 * id to each log line of the request, and records one log line and one metric observation at the end of the request. If
 * tracing is enabled, the request becomes a span of the trace in its `traceparent` header (W3C Trace Context), or of a
 * new trace.
 */
export function requestContext(logger: Logger, metrics: Metrics, clock: Clock, tracing: Tracing): RequestHandler {
  const observe = requestSeconds(metrics);
  return (request: Request, response: Response, next: NextFunction): void => {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : newId('request');
    const apiRequest: ApiRequest = Object.assign(request, { id: requestId });
    response.setHeader('X-Request-Id', requestId);
    const startedAt = clock.monotonicMillis();
    const span = tracing.isOn && !PROBES.has(request.path) ? requestSpan(tracing, apiRequest) : NO_SPAN;
    response.once('close', () => {
      const millis = clock.monotonicMillis() - startedAt;
      const status = response.writableFinished ? response.statusCode : CLIENT_GONE;
      observe(apiRequest, status, millis / 1000);
      logRequest(logger, apiRequest, status, millis);
      endSpan(span, apiRequest, status);
    });
    const { traceparent } = span;
    const context = traceparent === undefined ? { requestId } : { requestId, traceparent };
    runInContext(context, () => next(complaintAbout(request)));
  };
}

function requestSpan(tracing: Tracing, { id, method, headers }: ApiRequest): OpenSpan {
  const { traceparent } = headers;
  const parent = typeof traceparent === 'string' ? traceparent : null;
  const attributes = { 'http.request.method': method, 'aas.request.id': id };
  return tracing.begin({ name: method, kind: 'server', parent, attributes });
}

// The route and the workspace are known only at the end of the request.
function endSpan(span: OpenSpan, request: ApiRequest, status: number): void {
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

// `close` is emitted outside the context of the request, so the request and workspace are passed to the logger
// explicitly.
function logRequest(logger: Logger, request: ApiRequest, status: number, millis: number): void {
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

/** The path of a callback contains its token, which is in no log. */
function loggedPath(path: string): string {
  return path.replace(/^(\/+v1\/+callbacks\/+).*/i, '$1[redacted]');
}

/** Headers that must not be repeated: Node uses the first one, while a proxy may have used another one. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'host',
  'idempotency-key',
  'x-service-webhook-secret',
]);

/** The error of a request that is not valid for any route; undefined for nearly every request. */
function complaintAbout({ url, headers, rawHeaders, httpVersion }: Request): DomainError | undefined {
  if (headers.host === undefined && httpVersion === '1.1') {
    return new DomainError('invalid_request', 'The request has no Host header. Send one.');
  }
  const repeated = repeatedHeader(rawHeaders);
  if (repeated !== undefined)
    return new DomainError('invalid_request', `The request has more than one ${repeated} header. Send one.`);
  if (!url.includes('%')) return undefined;
  try {
    decodeURIComponent(url);
    return undefined;
  } catch {
    return new DomainError(
      'invalid_request',
      'The URL contains a percent sign that does not begin an encoded UTF-8 character. Encode it as %25.',
    );
  }
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

/** A request that has passed the middleware and guards of the API. */
export interface ApiRequest extends Request {
  /** Set by the first middleware, so every request has one. */
  id: string;
  /** Set by the authentication guard; absent on public routes. */
  principal?: Principal;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Declares the histogram of requests and returns the function that records into it. Labels are routes, never paths. */
function requestSeconds(metrics: Metrics): (request: ApiRequest, status: number, seconds: number) => void {
  const histogram = metrics.histogram(
    {
      name: 'aas_http_request_seconds',
      help: 'Seconds from the start of a request to the end of its response.',
      labels: ['method', 'route', 'status'],
    },
    BUCKETS,
  );
  // Resolving labels costs more than recording, and there are few combinations, so the series are cached.
  const series = new Map<string, { observe(seconds: number): void }>();
  return (request, status, seconds) => {
    const route = routeOf(request);
    const key = `${request.method} ${route} ${status}`;
    const known = series.get(key) ?? histogram.labels(request.method, route, String(status));
    series.set(key, known);
    known.observe(seconds);
  };
}

/** The pattern of the matched route, or `none`. */
// Express types the matched route as any; it is absent where no route matched.
function routeOf(request: ApiRequest): string {
  const route: unknown = request.route;
  const path: unknown = typeof route === 'object' && route !== null && 'path' in route ? route.path : undefined;
  return typeof path === 'string' ? path : 'none';
}
