import { Injectable, RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { accessOf } from './access.decorators.js';

export interface Route {
  /** HTTP method in upper case. */
  method: string;
  /** Path as the controller declares it, for example `/v1/agents/:id`. */
  path: string;
  /** Name of the handler as `Controller.method`, for error messages. */
  name: string;
  handler: object;
}

// Metadata keys of Nest's decorators (@Controller, @Get …).
const PATH = 'path';
const METHOD = 'method';

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

  /** Returns the methods of a path in the form of the `Allow` header, or undefined if no route has the path. */
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

/** Converts `/v1/agents/:id` to the OpenAPI form `/v1/agents/{id}`. */
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

/** @throws Error if a route declares no access */
export function assertEveryRouteIsGuarded(routes: readonly Route[]): void {
  // An API without routes means that Nest has changed where it stores their metadata. All checks would then pass
  // without checking a route.
  if (routes.length === 0) throw new Error('The api has no routes.');
  const open = routes.filter((route) => accessOf(route.handler) === undefined);
  if (open.length > 0) throw new Error(`Add @RequireScopes, @AnyKey or @Public to ${list(open)}.`);
}

/** @throws Error if `describes` returns false for a route */
export function assertEveryRouteIsDescribed(routes: readonly Route[], describes: (route: Route) => boolean): void {
  const missing = routes.filter((route) => !describes(route));
  if (missing.length > 0) throw new Error(`The OpenAPI document lacks ${list(missing)}.`);
}

function list(routes: readonly Route[]): string {
  return routes.map(({ method, path, name }) => `${method} ${path} (${name})`).join(', ');
}
