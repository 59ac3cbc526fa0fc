import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AgentsService, EvaluationsService } from '@app/agents';
import { type IdKind, isId, notFound } from '@app/kernel';
import { WebhookEndpointsService } from '@app/events';
import { RunAgentsService } from '@app/runs';
import { type Principal, seesAgent } from '@app/workspace';
import { accessOf } from './access.decorators.js';
import { nounOf } from './fields.js';
import type { ApiRequest } from './request-context.js';
import { inputsOf } from './route-inputs.js';

/**
 * Hides other agents from an API key that is narrowed to agents: an id in the path of such an agent, or of something
 * that belongs to it, gets the error of an unknown id. Lists leave these agents out (`agentsOf` of the principal). Runs
 * after the names in the path were replaced by ids.
 */
@Injectable()
export class KeyAgentsGuard implements CanActivate {
  constructor(
    private readonly agents: AgentsService,
    private readonly evaluations: EvaluationsService,
    private readonly runs: RunAgentsService,
    private readonly endpoints: WebhookEndpointsService,
  ) {}

  /** @throws DomainError `not_found` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const { principal } = request;
    const access = accessOf(context.getHandler());
    // An urgent route concerns the whole workspace, and must work while the connection pool is exhausted.
    if (!principal?.limits?.agents || (access?.kind === 'key' && access.urgent)) return true;
    const narrowed = await this.withDrafts(principal);
    request.principal = narrowed;
    for (const { parameter, kind } of inputsOf(context.getHandler()).flatMap(({ ids }) => ids ?? [])) {
      const id = request.params[parameter];
      if (isId(kind, id) && !(await this.sees(narrowed, kind, id))) throw notFound(nounOf(kind), id);
    }
    return true;
  }

  private async withDrafts(principal: Principal): Promise<Principal> {
    const { workspaceId, limits } = principal;
    if (!limits) return principal;
    return { ...principal, limits: { ...limits, drafts: await this.agents.draftsOfKey(workspaceId, limits.keyId) } };
  }

  private async sees(principal: Principal, kind: IdKind, id: string): Promise<boolean> {
    const agents = await this.agentsOf(principal.workspaceId, kind, id);
    return agents?.every((agent) => seesAgent(principal, agent)) ?? false;
  }

  /**
   * Returns the agents that the resource belongs to, or null if it concerns all agents. Empty for an unknown id, which
   * the handler rejects.
   */
  private async agentsOf(workspaceId: string, kind: IdKind, id: string): Promise<readonly string[] | null> {
    switch (kind) {
      case 'agent':
        return [id];
      case 'run':
      case 'approval':
      case 'bulkAction':
        return this.runs.agentsOf(workspaceId, kind, id);
      case 'evaluation':
        return [(await this.evaluations.get(workspaceId, id)).agentId];
      case 'webhookEndpoint':
        return (await this.endpoints.get(workspaceId, id)).agents;
      default:
        return [];
    }
  }
}
