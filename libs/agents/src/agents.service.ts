import { DomainError, invariant, isId, newId, notFound, type Page, type PageRequest, toPage } from '@app/kernel';
import { newWebhookSecret, sha256 } from '@app/platform/crypto';
import { type IdempotencyClaim, IdempotentRequests } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { AgentStatus } from './agent-status.js';
import { AgentVersionRepository } from './agent-version.repository.js';
import type { Agent } from './agent.entity.js';
import { type AgentFilter, AgentRepository } from './agent.repository.js';
import { NamedSecrets } from './named-secrets.service.js';
import { type DefinitionSource, readDefinition, type SubmittedDefinition } from './submitted-definition.js';

/** Who creates something: its workspace and their e-mail address. A `Principal` is one. */
export interface Actor {
  readonly workspaceId: string;
  readonly email: string;
}

export interface CreatedAgent {
  agent: Agent;
  /** Exists as text only here. */
  webhookSecret: string;
  /** Whether this very request had been answered before. */
  replayed: boolean;
}

@Injectable()
export class AgentsService {
  constructor(
    private readonly requests: IdempotentRequests,
    private readonly agents: AgentRepository,
    private readonly versions: AgentVersionRepository,
    private readonly secrets: NamedSecrets,
  ) {}

  /**
   * An agent whose version 1 is in production. Its webhook secret exists as text only in this answer.
   * With a claim, the same request gets the same agent and the same answer.
   * @throws DomainError what {@link readDefinition} and {@link IdempotentRequests.once} throw,
   * `unknown_reference` (a secret) and `name_taken`
   */
  async create(actor: Actor, source: DefinitionSource, claim?: IdempotencyClaim): Promise<CreatedAgent> {
    const submitted = readDefinition(source);
    const { workspaceId } = actor;
    const { name, description, labels } = submitted;
    const id = newId('agent');
    const webhookSecret = newWebhookSecret();
    const { result, replayed } = await this.requests.once(workspaceId, claim, async (transaction) => {
      await this.secrets.assertKnown(workspaceId, submitted, transaction);
      const record = { id, workspaceId, name, description, labels, webhookSecretHash: sha256(webhookSecret) };
      if (!(await this.agents.insert(record, transaction))) throw nameTaken(name);
      const { email: createdBy } = actor;
      await this.versions.insert({ agentId: id, workspaceId, version: 1, createdBy, ...submitted.record }, transaction);
      const agent = await this.agents.find(workspaceId, id, transaction);
      invariant(agent, 'an agent that was inserted can be read');
      return { agent, webhookSecret };
    });
    return { ...result, replayed };
  }

  /** Agents by creation; archived ones only where the filter asks for them. */
  async list(workspaceId: string, { name, status, ...page }: PageRequest & AgentFilter): Promise<Page<Agent>> {
    return toPage(await this.agents.page(workspaceId, { name, status }, page), page.limit);
  }

  /** @throws DomainError `not_found`, also for a malformed id and for an agent of another workspace */
  async get(workspaceId: string, agentId: string): Promise<Agent> {
    const agent = isId('agent', agentId) ? await this.agents.find(workspaceId, agentId) : null;
    if (!agent) throw notFound('agent', agentId);
    return agent;
  }

  /**
   * Its triggers start no more runs. Pausing a paused agent changes nothing.
   * @throws DomainError `not_found`, `agent_archived`
   */
  async pause(workspaceId: string, agentId: string): Promise<Agent> {
    return this.change(workspaceId, agentId, 'active', 'paused');
  }

  /** The inverse of {@link pause}, with the same errors. */
  async resume(workspaceId: string, agentId: string): Promise<Agent> {
    return this.change(workspaceId, agentId, 'paused', 'active');
  }

  /**
   * Checks a definition exactly as creating would, and stores nothing.
   * @throws DomainError what {@link readDefinition} throws
   */
  validate(source: DefinitionSource): SubmittedDefinition {
    return readDefinition(source);
  }

  private async change(workspaceId: string, agentId: string, from: AgentStatus, to: AgentStatus): Promise<Agent> {
    await this.agents.changeStatus(workspaceId, agentId, from, to);
    const agent = await this.get(workspaceId, agentId);
    if (agent.status === 'archived') throw agentArchived(agent);
    return agent;
  }
}

export function nameTaken(name: string): DomainError {
  const detail = `Another agent of this workspace is called ${JSON.stringify(name)}. Choose another name or archive that agent.`;
  return new DomainError('name_taken', detail, { errors: [{ pointer: '/name', detail }] });
}

export function agentArchived(agent: Agent): DomainError {
  return new DomainError('agent_archived', `The agent ${JSON.stringify(agent.name)} is archived and stays as it is.`);
}
