import { ConnectionAccessService } from '@app/connections';
import {
  type CompiledDefinition,
  type ConnectionMention,
  connectionsOf,
  type DefinitionWarning,
} from '@app/definition';
import { DomainError, type ErrorPlace } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { AgentRepository } from '../records/agent.repository.js';

/** `id` is undefined if the definition creates the agent, or is only validated. */
export interface DefinedAgent {
  readonly id: string | undefined;
  readonly name: string;
}

@Injectable()
export class NamedConnectionsService {
  constructor(
    private readonly connections: ConnectionAccessService,
    private readonly agents: AgentRepository,
  ) {}

  /**
   * A missing connection or grant is not an error, because a person may add it later. Until then, calls that need the
   * connection fail with `connection_forbidden`.
   */
  async warnings(
    workspaceId: string,
    mentions: readonly ConnectionMention[],
    { id, name }: DefinedAgent,
  ): Promise<DefinitionWarning[]> {
    if (mentions.length === 0) return [];
    const agent = { id: id ?? (await this.idOf(workspaceId, name)), name };
    const names = mentions.map(({ connection }) => connection);
    const problems = await this.problems(workspaceId, names, agent);
    return mentions.flatMap(({ connection, place }) => {
      const problem = problems.get(connection);
      return problem ? [{ ...place(), ...problem }] : [];
    });
  }

  /** @throws DomainError `unknown_reference` with the connections */
  async require(
    workspaceId: string,
    definition: CompiledDefinition,
    agent: DefinedAgent,
    transaction: Transaction,
  ): Promise<void> {
    const connections = connectionsOf(definition);
    if (connections.length === 0) return;
    const problems = await this.problems(workspaceId, connections, agent, transaction);
    const errors = [...problems.values()].map((problem) => ({ pointer: '', ...problem }));
    if (errors.length === 0) return;
    const list = [...problems.keys()].map((name) => JSON.stringify(name)).join(', ');
    const detail = `The version uses connections that do not exist or are not granted to its agent: ${list}.`;
    throw new DomainError('unknown_reference', detail, { errors });
  }

  private async problems(
    workspaceId: string,
    names: readonly string[],
    { id, name }: DefinedAgent,
    transaction?: Transaction,
  ): Promise<ReadonlyMap<string, Pick<ErrorPlace, 'detail' | 'suggestion'>>> {
    const wanted = [...new Set(names)];
    const grants = await this.connections.grants(workspaceId, wanted, transaction);
    const problems = new Map<string, Pick<ErrorPlace, 'detail' | 'suggestion'>>();
    for (const connection of wanted) {
      const granted = grants.get(connection);
      const text = JSON.stringify(connection);
      if (!granted) {
        const detail = `There is no connection ${text}, so calls that need it fail.`;
        problems.set(connection, {
          detail,
          suggestion: 'Create it with POST /v1/connections, and grant it to the agent.',
        });
      } else if (!granted.agents.includes(`name:${name}`) && (id === undefined || !granted.agents.includes(id))) {
        const detail = `The connection ${text} is not granted to this agent, so calls that need it fail.`;
        const suggestion = `Add the agent to \`agents\` with PATCH /v1/connections/${granted.id}.`;
        problems.set(connection, { detail, suggestion });
      }
    }
    return problems;
  }

  private async idOf(workspaceId: string, name: string): Promise<string | undefined> {
    const [found] = (await this.agents.page(workspaceId, { name }, { limit: 1, order: 'asc' })).data;
    return found?.id;
  }
}
