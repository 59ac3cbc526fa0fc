import { invariant, isId, newId, notFound, type Page, type PageRequest } from '@app/kernel';
import { SealedBox } from '@app/platform/crypto';
import { AuditLogService, type IdempotencyClaim, IdempotencyStore } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { AgentVersionRepository } from '../records/agent-version.repository.js';
import type { AgentEntity } from '../records/agent.entity.js';
import type { DefinitionWarning } from '@app/definition';
import { AgentRepository, type ExposedFilter } from '../records/agent.repository.js';
import type { AgentFilter } from '../records/agent-status.js';
import { issueWebhookSecret } from './webhook-secrets.service.js';
import { DefinitionReaderService } from '../definitions/definition-reader.service.js';
import type { DefinitionSource } from '../definitions/submitted-definition.js';

export interface Actor {
  readonly workspaceId: string;
  readonly email: string;
}

export interface Creation {
  claim?: IdempotencyClaim | undefined;
  project?: string | null | undefined;
  isPaused?: boolean | undefined;
}

export interface CreatedAgent {
  agent: AgentEntity;
  /** No later response contains it. */
  webhookSecret: string;
  warnings: readonly DefinitionWarning[];
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
   * @throws DomainError `name_taken`, and the errors of {@link DefinitionReaderService.read} and {@link
   * IdempotencyStore.runOnce}
   */
  async create(
    actor: Actor,
    source: DefinitionSource,
    { claim, project = null, isPaused = false }: Creation = {},
  ): Promise<CreatedAgent> {
    const { workspaceId } = actor;
    const submitted = await this.reader.read(workspaceId, source);
    const { name, description, labels } = submitted;
    const id = newId('agent');
    const { text: webhookSecret, hash, sealed } = issueWebhookSecret(this.box, workspaceId, id);
    const { result, replayed } = await this.requests.runOnce(workspaceId, claim, async (transaction) => {
      if (submitted.refusal) throw submitted.refusal;
      const secret = { webhookSecretHash: hash, webhookSecret: sealed };
      const status = isPaused ? 'paused' : 'active';
      const mcpTool = submitted.compiled.mcp?.tool ?? null;
      const record = { id, workspaceId, name, description, labels, project, status, mcpTool, ...secret } as const;
      await this.agents.insert(record, transaction);
      const { email: createdBy } = actor;
      const version = { agentId: id, workspaceId, version: 1, createdBy, project, ...submitted.record };
      await this.versions.insert(version, submitted.descriptions, transaction);
      await this.audit.record(
        actor,
        {
          action: 'agent.create',
          target: id,
          detail: { name, ...(project !== null && { project }), ...(isPaused && { paused: true }) },
        },
        transaction,
      );
      const agent = await this.agents.find(workspaceId, id, transaction);
      invariant(agent, 'an agent that was inserted can be read');
      return { agent, webhookSecret, warnings: submitted.warnings };
    });
    return { ...result, replayed };
  }

  /** Archived agents are included only if the filter names their status. */
  async list(
    workspaceId: string,
    { name, status, project, ids, ...page }: PageRequest & AgentFilter,
  ): Promise<Page<AgentEntity>> {
    return this.agents.page(workspaceId, { name, status, project, ids }, page);
  }

  /** @throws DomainError `not_found`, also for a malformed id and for an agent of another workspace */
  async get(workspaceId: string, agentId: string): Promise<AgentEntity> {
    const agent = isId('agent', agentId) ? await this.agents.find(workspaceId, agentId) : null;
    if (!agent) throw notFound('agent', agentId);
    return agent;
  }

  async idByName(workspaceId: string, name: string): Promise<string | undefined> {
    const { data } = await this.list(workspaceId, { name, limit: 1, order: 'asc' });
    return data[0]?.id;
  }

  draftsOfKey(workspaceId: string, keyId: string): Promise<string[]> {
    return this.agents.draftsOfKey(workspaceId, keyId);
  }

  exposed(workspaceId: string, filter: ExposedFilter): Promise<AgentEntity[]> {
    return this.agents.exposed(workspaceId, filter);
  }

  exposedAs(workspaceId: string, tool: string): Promise<AgentEntity | null> {
    return this.agents.findExposed(workspaceId, tool);
  }

  async known(workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(await this.agents.idsAmong(workspaceId, ids));
  }
}
