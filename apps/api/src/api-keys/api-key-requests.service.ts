import { Injectable } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import { DomainError, isId } from '@app/kernel';
import { ApiKeysService, type NewKeyOfMember, type Principal, seesAgent } from '@app/workspace';
import type { ClaimOf } from '../http/request-decorators.js';
import { ResourceNamesService } from '../http/resource-names.service.js';
import { type CreateApiKeyBody, newApiKeyContent, newApiKeyRequest } from './api-keys.api.js';

const BY_NAME = 'name:';

/** Creates keys, and finds the agents to which they are narrowed. */
@Injectable()
export class ApiKeyRequestsService {
  constructor(
    private readonly register: ApiKeysService,
    private readonly agents: AgentsService,
    private readonly names: ResourceNamesService,
  ) {}

  /** @throws DomainError `unknown_reference` for an agent, and the errors of {@link ApiKeysService.create} */
  async create(
    actor: Principal,
    body: CreateApiKeyBody,
    claimOf: ClaimOf,
  ): Promise<NewKeyOfMember & { replayed: boolean }> {
    const claim = claimOf(newApiKeyContent(body));
    const agents = body.agents ? await this.idsOf(actor, body.agents) : null;
    return this.register.create(actor, newApiKeyRequest(body, agents), claim);
  }

  /** Returns the ids of the agents, without duplicates. `given` contains ids or `name:<name>`. */
  private async idsOf(actor: Principal, given: readonly string[]): Promise<string[]> {
    const named = await Promise.all(given.map((agent) => this.idOf(actor, agent)));
    const known = await this.agents.known(
      actor.workspaceId,
      named.filter((id) => id !== undefined),
    );
    const errors = given.flatMap((agent, index) => {
      const id = named[index];
      if (id !== undefined && known.has(id) && seesAgent(actor, id)) return [];
      const detail = `${JSON.stringify(agent)} is not an agent of this workspace. Write its id, or \`name:\` and its name.`;
      return [{ pointer: `/agents/${index}`, detail }];
    });
    if (errors.length === 0) return [...known];
    const givenNames = errors.map(({ pointer }) => ({
      kind: 'agent' as const,
      name: given[Number(pointer.slice('/agents/'.length))] ?? '',
      pointer,
    }));
    throw new DomainError('unknown_reference', errors[0]?.detail ?? '', { errors, givenNames });
  }

  private async idOf({ workspaceId }: Principal, agent: string): Promise<string | undefined> {
    if (agent.startsWith(BY_NAME)) return this.names.idOf(workspaceId, 'agent', agent.slice(BY_NAME.length));
    return isId('agent', agent) ? agent : undefined;
  }
}
