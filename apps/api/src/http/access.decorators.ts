import { SetMetadata } from '@nestjs/common';
import type { RefusableAction, Scope } from '@app/workspace';

/** Who may call a route. A route without this metadata does not start: see `route-checks.ts`. */
export type Access =
  | { kind: 'public' }
  /** Whoever knows the agent's webhook secret: its handler finds out, since a signature is over the body. */
  | { kind: 'webhook' }
  | {
      kind: 'key';
      scopes: readonly Scope[];
      /** The route has to work when everything else is stuck: its key is looked up over the reserved connections. */
      urgent?: true;
      /** Never refused because of a rate limit. What is urgent is not either. */
      unlimited?: true;
      /** What a refusal is called in the audit log; without it refusals are not recorded there. */
      audited?: RefusableAction;
    };

const ACCESS = Symbol('access');

/** Any valid key whose scopes include all of these. */
export const RequireScopes = (first: Scope, ...more: Scope[]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [first, ...more] });

/** {@link RequireScopes} for what ends harm: it works however often its key has been used. */
export const RequireUnlimited = (scope: Scope): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [scope], unlimited: true });

/** {@link RequireScopes} for the red button: never in line behind other requests, and a refusal leaves a line in the audit log. */
export const RequireUrgently = (scope: Scope, audited: RefusableAction): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [scope], urgent: true, audited });

/** Any valid key, whatever it may do. */
export const AnyKey = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [] });

/** Anybody, without a key. */
export const Public = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'public' });

/** Whoever knows the secret of the agent's webhook, without a key. */
export const RequireWebhookSecret = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'webhook' });

/** The access that a handler declares. */
export function accessOf(handler: object): Access | undefined {
  return Reflect.getMetadata(ACCESS, handler) as Access | undefined;
}
