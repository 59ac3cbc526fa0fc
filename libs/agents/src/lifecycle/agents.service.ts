import { invariant, isId, newId, notFound, type Page, type PageRequest, toPage } from '@app/kernel';
import { SealedBox } from '@app/platform/crypto';
import { AuditLogService, type IdempotencyClaim, IdempotencyStore } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { AgentVersionRepository } from '../records/agent-version.repository.js';
import type { AgentEntity } from '../records/agent.entity.js';
import type { DefinitionWarning } from '@app/definition';
import { AgentRepository } from '../records/agent.repository.js';
import type { AgentFilter } from '../records/agent-status.js';
import { issueWebhookSecret } from './issued-webhook-secret.js';
import { nameTaken } from '../records/agent-refusals.js';
import { DefinitionReaderService } from '../definitions/definition-reader.service.js';
import type { DefinitionSource } from '../definitions/submitted-definition.js';

/** The member who makes a change: workspace and e-mail address. A `Principal` is an actor. */
export interface Actor {
  readonly workspaceId: string;
  readonly email: string;
}

/** How an agent or a version is created. */
export interface Creation {
  claim?: IdempotencyClaim | undefined;
  /** Name of the project that it belongs to. */
  project?: string | null | undefined;
}

export interface CreatedAgent {
  agent: AgentEntity;
  /** The text is returned here and never again. */
  webhookSecret: string;
  warnings: readonly DefinitionWarning[];
  /** Whether the answer is that of an earlier, equal request. */
  replayed: boolean;
}

@Injectable()
export class AgentsService {
  constructor(
    private readonly requests: IdempotencyStore,
    private readonly agents: AgentRepository,
    private readonly versions: AgentVersionRepository,
    private readonly box: SealedBox,
    private readonly reader: DefinitionReaderService,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * Creates an agent with version 1 in production. Only this answer contains the text of the webhook secret. With a
   * claim, a repeated request gets the same agent and the same answer.
   * @throws DomainError what {@link DefinitionReaderService.read} and {@link IdempotencyStore.runOnce} throw, and
   * `name_taken`
   */
  async create(
    actor: Actor,
    source: DefinitionSource,
    { claim, project = null }: Creation = {},
  ): Promise<CreatedAgent> {
    const { workspaceId } = actor;
    const submitted = await this.reader.read(workspaceId, source);
    const { name, description, labels } = submitted;
    const id = newId('agent');
    const { text: webhookSecret, hash, sealed } = issueWebhookSecret(this.box, workspaceId, id);
    const { result, replayed } = await this.requests.runOnce(workspaceId, claim, async (transaction) => {
      if (submitted.refusal) throw submitted.refusal;
      const secret = { webhookSecretHash: hash, webhookSecret: sealed };
      const record = { id, workspaceId, name, description, labels, project, ...secret };
      if (!(await this.agents.insert(record, transaction))) throw nameTaken(name);
      const { email: createdBy } = actor;
      const version = { agentId: id, workspaceId, version: 1, createdBy, project, ...submitted.record };
      await this.versions.insert(version, submitted.descriptions, transaction);
      await this.audit.record(
        actor,
        { action: 'agent.create', target: id, detail: { name, ...(project !== null && { project }) } },
        transaction,
      );
      const agent = await this.agents.find(workspaceId, id, transaction);
      invariant(agent, 'an agent that was inserted can be read');
      return { agent, webhookSecret, warnings: submitted.warnings };
    });
    return { ...result, replayed };
  }

  /** Lists agents by creation. Archived agents are included only if the filter asks for them. */
  async list(
    workspaceId: string,
    { name, status, project, ...page }: PageRequest & AgentFilter,
  ): Promise<Page<AgentEntity>> {
    return toPage(await this.agents.page(workspaceId, { name, status, project }, page), page.limit);
  }

  /** @throws DomainError `not_found`, also for a malformed id and for an agent of another workspace */
  async get(workspaceId: string, agentId: string): Promise<AgentEntity> {
    const agent = isId('agent', agentId) ? await this.agents.find(workspaceId, agentId) : null;
    if (!agent) throw notFound('agent', agentId);
    return agent;
  }

  /** Returns the id of the agent with this name that is not archived. */
  async idByName(workspaceId: string, name: string): Promise<string | undefined> {
    const { data } = await this.list(workspaceId, { name, limit: 1, order: 'asc' });
    return data[0]?.id;
  }

  /** Returns the ids that are agents of the workspace, including archived ones. */
  async known(workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(await this.agents.idsAmong(workspaceId, ids));
  }
}
