import { accessOf } from './access.decorators.js';
import type { Route } from './route-table.js';

/** Refuses to start with a route that does not say who may call it. @throws Error */
export function assertEveryRouteIsGuarded(routes: readonly Route[]): void {
  // Also fails when Nest should ever keep its routes elsewhere, instead of letting every check pass unseen.
  if (routes.length === 0) throw new Error('The api has no routes.');
  const open = routes.filter((route) => accessOf(route.handler) === undefined);
  if (open.length > 0) throw new Error(`Add @RequireScopes, @AnyKey or @Public to ${list(open)}.`);
}

/** Refuses to start with a route that `describes` does not know. @throws Error */
export function assertEveryRouteIsDescribed(routes: readonly Route[], describes: (route: Route) => boolean): void {
  const missing = routes.filter((route) => !describes(route));
  if (missing.length > 0) throw new Error(`The OpenAPI document lacks ${list(missing)}.`);
}

function list(routes: readonly Route[]): string {
  return routes.map(({ method, path, name }) => `${method} ${path} (${name})`).join(', ');
}
