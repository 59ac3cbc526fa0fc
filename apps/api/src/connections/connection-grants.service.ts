import { Injectable } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import {
  type ConnectionEntity,
  ConnectionsService,
  type CreatedConnection,
  type WantedConnection,
} from '@app/connections';
import { DomainError } from '@app/kernel';
import {
  agentsOf,
  type IdempotencyClaim,
  type OnceOnly,
  type Principal,
  replacedAgents,
  seesAgent,
} from '@app/workspace';

/** A reference to an agent by its name. The agent need not exist yet. */
const BY_NAME = /^name:[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * Creates connections and grants them to agents. It also checks that the agents exist, because the connections lib
 * cannot access them.
 */
@Injectable()
export class ConnectionGrantsService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly agents: AgentsService,
  ) {}

  /**
   * @throws DomainError `unknown_reference` if an agent does not exist, and the errors of
   * {@link ConnectionsService.create}
   */
  async create(
    actor: Principal,
    wanted: WantedConnection,
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<CreatedConnection>> {
    await this.assertAgents(actor, wanted.agents);
    return this.connections.create(actor, wanted, claim);
  }

  /** @throws DomainError `not_found`, or `unknown_reference` if an agent does not exist */
  async replaceAgents(actor: Principal, id: string, agents: readonly string[]): Promise<ConnectionEntity> {
    const { agents: before } = await this.connections.get(actor.workspaceId, id);
    await this.assertAgents(actor, agents);
    return this.connections.replaceAgents(actor, id, replacedAgents(actor, before, agents));
  }

  private async assertAgents(actor: Principal, wanted: readonly string[]): Promise<void> {
    const ids = wanted.filter((agent) => !BY_NAME.test(agent));
    const known = await this.agents.known(actor.workspaceId, ids);
    // The name of an agent that does not exist yet could become that of an agent that a narrowed key may not see.
    const mayName = agentsOf(actor) === null;
    const unknown = wanted.flatMap((agent, index) =>
      (BY_NAME.test(agent) && mayName) || (known.has(agent) && seesAgent(actor, agent))
        ? []
        : [{ agent, pointer: `/agents/${index}` }],
    );
    if (unknown.length === 0) return;
    const errors = unknown.map(({ agent, pointer }) => ({
      pointer,
      detail: `${JSON.stringify(agent)} is not an agent of this workspace. Write its id, or \`name:\` and its name.`,
    }));
    const givenNames = unknown.map(({ agent, pointer }) => ({ kind: 'agent' as const, name: agent, pointer }));
    throw new DomainError('unknown_reference', errors[0]?.detail ?? '', { errors, givenNames });
  }
}
