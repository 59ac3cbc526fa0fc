import { Injectable, RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { accessOf } from './access.decorators.js';

/** One operation: what Nest serves and the method of the controller that serves it. */
export interface Route {
  /** Upper case. */
  method: string;
  /** As declared: `/v1/agents/:id`. */
  path: string;
  /** `Controller.method`, for messages. */
  name: string;
  handler: object;
}

// Where Nest's own decorators (@Controller, @Get …) leave the path and the method.
const PATH = 'path';
const METHOD = 'method';

/** Every route of the api, as its controllers declare them. */
@Injectable()
export class RouteTableService {
  private known?: readonly (Route & { pattern: RegExp })[];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  all(): readonly Route[] {
    return this.routes();
  }

  /** The methods that the path takes, ready for `Allow`; undefined for a path that no route has. */
  allowedMethods(pathname: string): string | undefined {
    const methods = this.routes()
      .filter((route) => route.pattern.test(pathname))
      .map((route) => route.method);
    if (methods.length === 0) return undefined;
    return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].join(', ');
  }

  private routes(): readonly (Route & { pattern: RegExp })[] {
    return (this.known ??= this.scan().map((route) => ({ ...route, pattern: patternOf(route.path) })));
  }

  private scan(): Route[] {
    return this.discovery.getControllers().flatMap(({ metatype }) => {
      const prototype: unknown = typeof metatype === 'function' ? metatype.prototype : undefined;
      if (typeof metatype !== 'function' || typeof prototype !== 'object' || prototype === null) return [];
      const prefix = String(Reflect.getMetadata(PATH, metatype) ?? '');
      return this.scanner.getAllMethodNames(prototype).flatMap((key) => {
        const handler: unknown = Reflect.get(prototype, key);
        if (typeof handler !== 'function' || !Reflect.hasMetadata(PATH, handler)) return [];
        const path = joinPath(prefix, String(Reflect.getMetadata(PATH, handler)));
        const method = RequestMethod[Number(Reflect.getMetadata(METHOD, handler))] ?? 'GET';
        return [{ method, path, name: `${metatype.name}.${key}`, handler }];
      });
    });
  }
}

/** `/v1/agents/:id` as OpenAPI writes it: `/v1/agents/{id}`. */
export function templateOf(path: string): string {
  return path.replace(/:([A-Za-z0-9_]+)/g, '{$1}');
}

function joinPath(...parts: readonly string[]): string {
  return `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`;
}

function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : literally(segment)));
  return new RegExp(`^${segments.join('/')}/?$`);
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

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
