import { SetMetadata } from '@nestjs/common';
import type { Scope } from '@app/workspace';

/** Who may call a route. A route without this metadata does not start: see `route-checks.ts`. */
export type Access =
  | { kind: 'public' }
  | {
      kind: 'key';
      scopes: readonly Scope[];
      /** The route has to work when everything else is stuck: its key is looked up over the reserved connections. */
      urgent?: true;
      /** What a refusal is called in the audit log; without it refusals are not recorded there. */
      audited?: string;
    };

export const ACCESS = Symbol('access');

/** Any valid key whose scopes include all of these. */
export const RequireScopes = (first: Scope, ...more: Scope[]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [first, ...more] });

/** {@link RequireScopes} for the red button: never in line behind other requests, and a refusal leaves a line in the audit log. */
export const RequireUrgently = (scope: Scope, audited: string): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [scope], urgent: true, audited });

/** Any valid key, whatever it may do. */
export const AnyKey = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [] });

/** Anybody, without a key. */
export const Public = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'public' });

/** The access that a handler declares. */
export function accessOf(handler: object): Access | undefined {
  return Reflect.getMetadata(ACCESS, handler) as Access | undefined;
}
