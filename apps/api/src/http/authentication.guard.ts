import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { invariant } from '@app/kernel';
import { extendContext } from '@app/platform/observability';
import { ApiKeys } from '@app/workspace';
import { accessOf } from './access.decorators.js';
import type { ApiRequest } from './api-request.js';
import { readBearerToken } from './bearer-token.js';
import { requireScope } from './scope-check.js';

/** Lets nobody in unless the route says who may call it: a key with the scopes it names, or everybody. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(private readonly keys: ApiKeys) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context.getHandler());
    invariant(access, 'every route declares who may call it');
    if (access.kind === 'public') return true;
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const principal = await this.keys.authenticate(readBearerToken(request));
    request.principal = principal;
    extendContext({ workspaceId: principal.workspaceId });
    for (const scope of access.scopes) requireScope(principal, scope);
    return true;
  }
}
