import type { Metrics } from '@app/platform/observability';
import type { ApiRequest } from './api-request.js';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Declares the histogram of requests and answers the function that feeds it. Labels are routes, never paths. */
export function requestSeconds(metrics: Metrics): (request: ApiRequest, status: number, seconds: number) => void {
  const histogram = metrics.histogram(
    { name: 'aas_http_request_seconds', help: 'Time to answer a request.', labels: ['method', 'route', 'status'] },
    BUCKETS,
  );
  // Resolving labels costs more than observing, and there are few combinations.
  const series = new Map<string, { observe(seconds: number): void }>();
  return (request, status, seconds) => {
    const route = routeOf(request);
    const key = `${request.method} ${route} ${status}`;
    const known = series.get(key) ?? histogram.labels(request.method, route, String(status));
    series.set(key, known);
    known.observe(seconds);
  };
}

/** The pattern of the route that answers; `none` where there is none. */
// Express types the matched route as any; it is absent where no route matched.
export function routeOf(request: ApiRequest): string {
  const route: unknown = request.route;
  const path: unknown = typeof route === 'object' && route !== null && 'path' in route ? route.path : undefined;
  return typeof path === 'string' ? path : 'none';
}
