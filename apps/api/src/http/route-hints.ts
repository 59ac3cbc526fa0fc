import { closest } from '@app/kernel';
import { type Route, templateOf } from './route-table.service.js';

type KnownRoute = Pick<Route, 'method' | 'path'>;

/** Hints for operations that callers expect but that do not exist. */
const INSTEAD: readonly { methods: readonly string[]; path: string; hint: string }[] = [
  {
    methods: ['PATCH', 'PUT'],
    path: '/v1/agents/:id',
    hint: 'To change an agent, create a version with POST /v1/agents/{id}/versions, then promote it with POST /v1/agents/{id}/versions/{n}/promote.',
  },
  {
    methods: ['PATCH', 'PUT', 'DELETE'],
    path: '/v1/agents/:id/versions/:n',
    hint: 'A version does not change. Create another one with POST /v1/agents/{id}/versions.',
  },
  {
    methods: ['DELETE', 'PATCH', 'PUT', 'POST'],
    path: '/v1/runs/:id',
    hint: 'To end a run, use POST /v1/runs/{id}/cancel. To run it again, use POST /v1/runs/{id}/replay.',
  },
  {
    methods: ['PATCH', 'PUT'],
    path: '/v1/api-keys/:id',
    hint: 'To replace the value of a key, use POST /v1/api-keys/{id}/rotate. To change its permissions, create another key with POST /v1/api-keys.',
  },
  {
    methods: ['POST', 'PUT', 'PATCH'],
    path: '/v1/secrets',
    hint: 'To store a secret, use PUT /v1/secrets/{name}.',
  },
  {
    methods: ['POST', 'PUT', 'PATCH'],
    path: '/v1/approvals/:id',
    hint: 'To decide an approval, use POST /v1/runs/{id}/approvals/{approval_id}.',
  },
];

const ALL_OPERATIONS = 'GET /v1/openapi.json lists all operations.';
const MAX_SHOWN = 3;

export function routeHint(routes: readonly KnownRoute[], method: string, path: string): string {
  const given = segmentsOf(path);
  return (
    missingVersion(routes, method, given) ??
    INSTEAD.find((each) => each.methods.includes(method) && matches(segmentsOf(each.path), given))?.hint ??
    otherMethod(routes, method, given) ??
    belowAnother(routes, method, given) ??
    nearPath(routes, method, given) ??
    ALL_OPERATIONS
  );
}

/** Suggests `/v1/agents` for `/agents` and `/api/v1/agents`. */
function missingVersion(routes: readonly KnownRoute[], method: string, given: readonly string[]): string | undefined {
  const meant = ['v1', ...given.slice(given.lastIndexOf('v1') + 1)];
  if (given[0] === 'v1' && meant.length === given.length) return undefined;
  const served = routes.filter((route) => matches(segmentsOf(route.path), meant));
  if (served.length === 0) return undefined;
  const begins = 'Paths of the API begin with /v1.';
  const hasMethod = served.some((route) => route.method === method);
  return `${begins} ${hasMethod ? `Use ${method} ${pathOf(meant)}.` : routeHint(routes, method, pathOf(meant))}`;
}

/** Suggests PATCH for PUT, PUT for PATCH, and PUT for POST. */
function otherMethod(routes: readonly KnownRoute[], method: string, given: readonly string[]): string | undefined {
  const other = { PUT: 'PATCH', PATCH: 'PUT', POST: 'PUT' }[method];
  const route = routes.find((each) => each.method === other && matches(segmentsOf(each.path), given));
  return route && `Use ${shown(route)}.`;
}

/** Suggests POST /v1/agents/{id}/runs for POST /v1/runs. */
function belowAnother(routes: readonly KnownRoute[], method: string, given: readonly string[]): string | undefined {
  const end = given[0] === 'v1' ? given.slice(1) : given;
  const found = routes.filter((route) => {
    const last = segmentsOf(route.path).slice(-end.length);
    return route.method === method && last[0] === end[0] && matches(last, end);
  });
  return end.length > 0 && found.length > 0 ? `Use ${listed(found)}.` : undefined;
}

/** Suggests `/v1/agents` for `/v1/agent`. */
function nearPath(routes: readonly KnownRoute[], method: string, given: readonly string[]): string | undefined {
  const near = routes.filter((route) => {
    const wanted = segmentsOf(route.path);
    return wanted.length === given.length && wanted.every((each, at) => isNear(each, given[at] ?? ''));
  });
  const best = near.filter((route) => route.method === method);
  return near.length > 0 ? `Did you mean ${listed(best.length > 0 ? best : near)}?` : undefined;
}

function isNear(wanted: string, given: string): boolean {
  return isParameter(wanted) || wanted === given || closest(given, [wanted]) !== undefined;
}

function matches(wanted: readonly string[], given: readonly string[]): boolean {
  return wanted.length === given.length && wanted.every((each, at) => isParameter(each) || each === given[at]);
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':');
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function pathOf(segments: readonly string[]): string {
  return `/${segments.join('/')}`.slice(0, 200);
}

function listed(routes: readonly KnownRoute[]): string {
  return routes.slice(0, MAX_SHOWN).map(shown).join(' or ');
}

function shown({ method, path }: KnownRoute): string {
  return `${method} ${templateOf(path)}`;
}
