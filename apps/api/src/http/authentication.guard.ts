import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Clock, invariant } from '@app/kernel';
import { extendContext } from '@app/platform/observability';
import { assertAllAgents, assertLive, assertRecentSignIn, type Principal } from '@app/workspace';
import { accessOf, needsAllAgents, needsLive, needsRecentSignIn } from './access.decorators.js';
import { CallerAccessService } from './caller-access.service.js';
import type { ApiRequest } from './request-context.js';
import { RequestLimitsService } from './request-limits.service.js';

/**
 * Checks the API key or session of the caller, and the scopes that the route declares. Rejects every call of a route
 * that does not declare its access.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly callers: CallerAccessService,
    private readonly limits: RequestLimitsService,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const handler = context.getHandler();
    const access = accessOf(handler);
    invariant(access, 'every route declares who may call it');
    if (access.kind !== 'key') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const response = http.getResponse<Response>();
    const principal = await this.callers.authenticate(request, response, access);
    request.principal = principal;
    extendContext({ workspaceId: principal.workspaceId });
    if (!access.urgent && !access.unlimited) await this.limits.admit(principal, response);
    await this.callers.authorize(principal, access, () => assertKey(principal, handler));
    if (needsRecentSignIn(handler)) assertRecentSignIn(principal, this.clock.now());
    return true;
  }
}

/** Checks what a route requires of the key besides its scopes. */
function assertKey(principal: Principal, handler: object): void {
  if (needsAllAgents(handler)) assertAllAgents(principal);
  if (needsLive(handler)) assertLive(principal, 'A test key cannot call this operation.');
}
