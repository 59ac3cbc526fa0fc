import { invariant, isId, newId, notFound, type Page, type PageRequest, toPage } from '@app/kernel';
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

/** The member who makes a change. A `Principal` can be used as an actor. */
export interface Actor {
  readonly workspaceId: string;
  readonly email: string;
}

export interface Creation {
  claim?: IdempotencyClaim | undefined;
  /** Name of the project that the agent or version belongs to. */
  project?: string | null | undefined;
  /** Whether a new agent is paused, so that no trigger starts a run before a person resumes it. Default: false. */
  isPaused?: boolean | undefined;
}

export interface CreatedAgent {
  agent: AgentEntity;
  /** Text of the webhook secret. No later response contains it. */
  webhookSecret: string;
  warnings: readonly DefinitionWarning[];
  /** True if this is the stored response of an earlier request with the same idempotency key. */
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
   * Creates an agent with version 1 in production. Only this response contains the text of the webhook secret. If
   * `claim` is given, a repeated request with the same idempotency key returns the same agent and the same response.
   * @throws DomainError `name_taken`, and the errors of {@link DefinitionReaderService.read} and
   * {@link IdempotencyStore.runOnce}
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

  /**
   * Lists agents in the order of their creation. Archived agents are included only if the filter names their status.
   */
  async list(
    workspaceId: string,
    { name, status, project, ids, ...page }: PageRequest & AgentFilter,
  ): Promise<Page<AgentEntity>> {
    return toPage(await this.agents.page(workspaceId, { name, status, project, ids }, page), page.limit);
  }

  /** @throws DomainError `not_found`, also for a malformed id and for an agent of another workspace */
  async get(workspaceId: string, agentId: string): Promise<AgentEntity> {
    const agent = isId('agent', agentId) ? await this.agents.find(workspaceId, agentId) : null;
    if (!agent) throw notFound('agent', agentId);
    return agent;
  }

  /** Returns the id of the agent with this name, unless it is archived. */
  async idByName(workspaceId: string, name: string): Promise<string | undefined> {
    const { data } = await this.list(workspaceId, { name, limit: 1, order: 'asc' });
    return data[0]?.id;
  }

  /** Returns the ids of the temporary agents of the draft runs that the API key started. */
  draftsOfKey(workspaceId: string, keyId: string): Promise<string[]> {
    return this.agents.draftsOfKey(workspaceId, keyId);
  }

  /** Returns up to `limit` agents that assistants can use, in the order of their tools. */
  exposed(workspaceId: string, filter: ExposedFilter): Promise<AgentEntity[]> {
    return this.agents.exposed(workspaceId, filter);
  }

  /** Returns the agent that assistants can use as this tool. */
  exposedAs(workspaceId: string, tool: string): Promise<AgentEntity | null> {
    return this.agents.findExposed(workspaceId, tool);
  }

  /** Returns the ids in `ids` that belong to agents of the workspace, including archived agents. */
  async known(workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(await this.agents.idsAmong(workspaceId, ids));
  }
}
