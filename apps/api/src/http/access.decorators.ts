import { SetMetadata } from '@nestjs/common';
import type { RefusableAction, Scope } from '@app/workspace';
import { type Access, urgentAccess } from './access.js';

const ACCESS = Symbol('access');

/** Requires a key or session with all of these scopes. */
export const RequireScopes = (first: Scope, ...more: Scope[]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [first, ...more] });

/**
 * Requires a key or session with one of these scopes. The handler calls {@link requireScope} with the scope that the
 * request needs.
 */
export const RequireAnyScope = (...anyOf: [Scope, Scope, ...Scope[]]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [], anyOf });

/** Like {@link RequireScopes}, but without a rate limit. For operations that limit damage, such as a cancellation. */
export const RequireUnlimited = (scope: Scope): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [scope], unlimited: true });

/**
 * Like {@link RequireScopes}, but the route has no rate limit, and the key or session is read over reserved database
 * connections. Rejected calls are recorded in the audit log.
 */
export const RequireUrgently = (scope: Scope, audited: RefusableAction): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, urgentAccess(scope, audited));

export const AnyKey = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes: [] });

/**
 * Requires an API key with all of these scopes, or an access token of an MCP client for the path `resource`. Cookies are
 * ignored.
 */
export const RequireKeyOrToken = (resource: string, ...scopes: Scope[]): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'key', scopes, bearerOnly: true, resource });

export const Public = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, { kind: 'public' });

/** Requires the webhook secret of the agent instead of a key or session. `proof` describes the accepted proofs. */
export const RequireWebhookSecret = (proof: string): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'webhook', proof, isSecretAccepted: true });

/** Requires `hub.verify_token` in the query, which Meta sends instead of the webhook secret. */
export const RequireVerifyToken = (): MethodDecorator =>
  SetMetadata<symbol, Access>(ACCESS, { kind: 'webhook', proof: '`hub.verify_token`', isSecretAccepted: false });

const RECENT = Symbol('recent sign-in');

/** A caller with a session must have signed in within the last ten minutes. */
export const RequireRecentSignIn = (): MethodDecorator => SetMetadata(RECENT, true);

const LIVE = Symbol('live key');

/**
 * Rejects a caller with a test key, or with a session of a test key. For routes that change what production runs use,
 * that show a secret, or that begin or resume work in production. Routes that only stop work do not need it.
 */
export const RequireLive = (): MethodDecorator => SetMetadata(LIVE, true);

const ALL_AGENTS = Symbol('all agents');

/** Rejects a caller whose key is narrowed to agents. For routes that create agents. */
export const RequireAllAgents = (): MethodDecorator => SetMetadata(ALL_AGENTS, true);

export function needsAllAgents(handler: object): boolean {
  return Reflect.hasMetadata(ALL_AGENTS, handler);
}

export function needsLive(handler: object): boolean {
  return Reflect.hasMetadata(LIVE, handler);
}

export function needsRecentSignIn(handler: object): boolean {
  return Reflect.hasMetadata(RECENT, handler);
}

export function accessOf(handler: object): Access | undefined {
  return Reflect.getMetadata(ACCESS, handler) as Access | undefined;
}
