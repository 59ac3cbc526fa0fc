import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { notFound } from '@app/kernel';
import { nounOf } from './fields.js';
import type { ApiRequest } from './request-context.js';
import { NAMED_KINDS } from './request-decorators.js';
import { ResourceNamesService } from './resource-names.service.js';
import { inputsOf } from './route-inputs.js';

const PREFIX = 'name:';

/**
 * Replaces `name:<name>` in the path by the id of the agent or knowledge base, before the handler reads its parameters.
 * Runs after authentication, because a name is unique only within a workspace. A route without a principal accepts only
 * ids.
 */
@Injectable()
export class ResourceNamesGuard implements CanActivate {
  constructor(private readonly names: ResourceNamesService) {}

  /** @throws DomainError `not_found` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { params, principal } = context.switchToHttp().getRequest<ApiRequest>();
    if (!principal) return true;
    for (const { parameter, kind } of inputsOf(context.getHandler()).flatMap(({ ids }) => ids ?? [])) {
      const value = params[parameter];
      const named = NAMED_KINDS.find((each) => each === kind);
      if (named === undefined || typeof value !== 'string' || !value.startsWith(PREFIX)) continue;
      const id = await this.names.idOf(principal.workspaceId, named, value.slice(PREFIX.length));
      if (id === undefined) throw notFound(nounOf(kind), value);
      params[parameter] = id;
    }
    return true;
  }
}
