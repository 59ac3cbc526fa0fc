import { Public, RequireScopes } from './access.decorators.js';
import { assertEveryRouteIsDescribed, assertEveryRouteIsGuarded, type Route } from './route-table.service.js';

class Handlers {
  @Public()
  open(): void {}

  @RequireScopes('runs:read')
  guarded(): void {}

  forgotten(): void {}
}

function route(method: keyof Handlers): Route {
  return { method: 'GET', path: `/v1/${method}`, name: `Handlers.${method}`, handler: Handlers.prototype[method] };
}

describe('the start of the api', () => {
  it('passes when every route declares who may call it', () => {
    expect(() => assertEveryRouteIsGuarded([route('open'), route('guarded')])).not.toThrow();
  });

  it('is refused with the name of a route that does not', () => {
    expect(() => assertEveryRouteIsGuarded([route('open'), route('forgotten')])).toThrow('Handlers.forgotten');
  });

  it('is refused when no route is found at all', () => {
    expect(() => assertEveryRouteIsGuarded([])).toThrow();
  });

  it('is refused with the name of a route that is not described', () => {
    const routes = [route('open'), route('guarded')];
    expect(() => assertEveryRouteIsDescribed(routes, () => true)).not.toThrow();
    expect(() => assertEveryRouteIsDescribed(routes, ({ path }) => path === '/v1/open')).toThrow('Handlers.guarded');
  });
});
