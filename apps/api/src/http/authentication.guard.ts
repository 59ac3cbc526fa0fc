import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Clock, DomainError, invariant } from '@app/kernel';
import { extendContext, LOGGER, type Logger } from '@app/platform/observability';
import {
  assertAllAgents,
  assertLive,
  assertRecentSignIn,
  AuditLogService,
  type Principal,
  type RefusableAction,
} from '@app/workspace';
import {
  type Access,
  accessOf,
  needsAllAgents,
  needsLive,
  needsRecentSignIn,
  requireAnyScope,
  requireScope,
} from './access.decorators.js';
import { AuthenticationService } from './authentication.service.js';
import type { ApiRequest } from './request-context.js';
import { RequestLimitsService } from './request-limits.service.js';

type KeyAccess = Extract<Access, { kind: 'key' }>;

/**
 * Checks the API key or session of the caller, and the scopes that the route declares. Rejects every call of a route
 * that does not declare its access.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly audit: AuditLogService,
    private readonly limits: RequestLimitsService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context.getHandler());
    invariant(access, 'every route declares who may call it');
    if (access.kind !== 'key') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const response = http.getResponse<Response>();
    const principal = await this.authenticate(request, response, access);
    request.principal = principal;
    extendContext({ workspaceId: principal.workspaceId });
    if (!access.urgent && !access.unlimited) await this.limits.admit(principal, response);
    await this.authorize(principal, access, context.getHandler());
    if (needsRecentSignIn(context.getHandler())) assertRecentSignIn(principal, this.clock.now());
    return true;
  }

  private async authenticate(request: ApiRequest, response: Response, access: KeyAccess): Promise<Principal> {
    try {
      if (access.resource !== undefined) return await this.authentication.identifyClient(request, access.resource);
      if (access.bearerOnly) return await this.authentication.identifyKey(request);
      return access.urgent
        ? await this.authentication.identifyCallerUrgently(request)
        : await this.authentication.identifyCaller(request);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') await this.limits.refuse(request, response);
      throw error;
    }
  }

  private async authorize(
    principal: Principal,
    { scopes, anyOf = [], audited }: KeyAccess,
    handler: object,
  ): Promise<void> {
    try {
      for (const scope of scopes) requireScope(principal, scope);
      requireAnyScope(principal, anyOf);
      if (needsAllAgents(handler)) assertAllAgents(principal);
      if (needsLive(handler)) assertLive(principal, 'A test key cannot call this operation.');
    } catch (error) {
      if (audited !== undefined && error instanceof DomainError) await this.record(principal, audited, error);
      throw error;
    }
  }

  /** Records a rejected call in the audit log. Does not throw, so that the caller still gets the error of the call. */
  private async record(principal: Principal, action: RefusableAction, { code }: DomainError): Promise<void> {
    try {
      await this.audit.recordRefusal(principal, action, code);
    } catch (error) {
      this.logger.error(
        { err: error, action, actor: principal.email },
        'audit log: recording a rejected request failed',
      );
    }
  }
}
