import { DomainError, isId, notFound, type Page, type PageRequest } from '@app/kernel';
import {
  type BatchedStatement,
  findPage,
  orUnavailable,
  type Statement,
  Statements,
  type Transaction,
} from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, In, IsNull, MoreThan, Not, QueryFailedError, Repository } from 'typeorm';
import type { AgentFilter, AgentStatus } from './agent-status.js';
import type { NewVersion } from './agent-version.repository.js';
import { AgentEntity } from './agent.entity.js';

export type NewAgent = Pick<
  AgentEntity,
  'id' | 'workspaceId' | 'name' | 'description' | 'labels' | 'project' | 'mcpTool'
> & {
  webhookSecretHash: Buffer;
  webhookSecret: Buffer;
  status?: Exclude<AgentStatus, 'archived'>;
};

export interface ExposedFilter {
  after?: string | undefined;
  ids: readonly string[] | null;
  limit: number;
}

/** `sealed` is null if only the hash is stored. */
export interface KnownWebhookSecret {
  hash: Buffer;
  sealed: Buffer | null;
  /** The table `former_secrets` stores them, and their encryption is bound to a field of that table. */
  isKeptApart: boolean;
}

const WEBHOOK_SECRETS: Statement = {
  name: 'agents.webhook_secrets',
  text: `select a.workspace_id as "workspaceId", s.* from agents a cross join lateral (
      select a.webhook_secret_hash as hash, a.webhook_secret as sealed, false as "isKeptApart"
      union all select a.previous_webhook_secret_hash, a.previous_webhook_secret, false
        where a.previous_webhook_secret_expires_at > clock_timestamp()
      union all select f.hash, f.sealed, true from former_secrets f
        where f.owner_id = a.id and f.workspace_id = a.workspace_id and f.expires_at > clock_timestamp()) s
    where a.id = $1`,
};

const PREVIOUS_WEBHOOK_SECRET = `select previous_webhook_secret_hash as hash, previous_webhook_secret as sealed,
    previous_webhook_secret_expires_at as "expiresAt"
  from agents where workspace_id = $1 and id = $2 and previous_webhook_secret_expires_at is not null`;

const REPLACE_WEBHOOK_SECRET = `update agents set
    previous_webhook_secret_hash = webhook_secret_hash, previous_webhook_secret = webhook_secret,
    previous_webhook_secret_expires_at = clock_timestamp() + $5 * interval '1 second',
    webhook_secret_hash = $3, webhook_secret = $4, updated_at = clock_timestamp()
  where workspace_id = $1 and id = $2
  returning previous_webhook_secret_expires_at as until`;

const PRODUCTION_VERSION: BatchedStatement = {
  name: 'agents.production_version',
  text: `select a.production_version as version from jsonb_to_record($1::jsonb) as c(workspace text, agent text)
    join agents a on a.workspace_id = c.workspace and a.id = c.agent`,
  batch: {
    name: 'agents.production_versions',
    text: `select c.call::integer as call, a.production_version as version
      from rows from (jsonb_to_recordset($1::jsonb) as (workspace text, agent text)) with ordinality as c(workspace, agent, call)
      join agents a on a.workspace_id = c.workspace and a.id = c.agent`,
  },
};

// A transaction that began before the archiving of an agent may still commit a new run of this agent. Workers find and
// cancel such runs for this time after the archiving. The time is longer than any transaction that accepts a run.
const SWEEP = '1 minute';

const DRAFT_LIFE = '24 hours';

const UNIQUE_VIOLATION = '23505';

@Injectable()
export class AgentRepository {
  constructor(
    @InjectRepository(AgentEntity) private readonly table: Repository<AgentEntity>,
    private readonly statements: Statements,
  ) {}

  async find(workspaceId: string, id: string, transaction?: Transaction): Promise<AgentEntity | null> {
    const table = transaction?.manager.getRepository(AgentEntity) ?? this.table;
    return orUnavailable(table.findOneBy({ workspaceId, id }));
  }

  page(
    workspaceId: string,
    { name, status, project, ids }: AgentFilter,
    page: PageRequest,
  ): Promise<Page<AgentEntity>> {
    const where: FindOptionsWhere<AgentEntity> = { workspaceId, status: status ?? Not('archived') };
    // Agents of draft runs are always archived, so only a list of archived agents must exclude them.
    if (status === 'archived') where.draftUntil = IsNull();
    if (name !== undefined) where.name = name;
    if (project !== undefined) where.project = project;
    return findPage(this.table, where, page, ids);
  }

  async idsAmong(workspaceId: string, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await orUnavailable(
      this.table.find({ select: { id: true }, where: { workspaceId, id: In([...ids]) } }),
    );
    return rows.map(({ id }) => id);
  }

  async draftsOfKey(workspaceId: string, draftKeyId: string): Promise<string[]> {
    const rows = await orUnavailable(this.table.find({ select: { id: true }, where: { workspaceId, draftKeyId } }));
    return rows.map(({ id }) => id);
  }

  async findProductionVersion(workspaceId: string, id: string): Promise<{ version: number } | undefined> {
    return this.statements.call<{ version: number }>(PRODUCTION_VERSION, { workspace: workspaceId, agent: id });
  }

  /** Reads across workspaces, because the workspace of a webhook is not known yet. */
  async findWebhookSecrets(
    id: string,
  ): Promise<{ workspaceId: string; secrets: readonly KnownWebhookSecret[] } | undefined> {
    const secrets = await this.statements.query<KnownWebhookSecret & { workspaceId: string }>(WEBHOOK_SECRETS, [id]);
    return secrets[0] && { workspaceId: secrets[0].workspaceId, secrets };
  }

  async previousWebhookSecret(
    { workspaceId, id }: AgentEntity,
    { manager }: Transaction,
  ): Promise<{ hash: Buffer; sealed: Buffer | null; expiresAt: Date } | null> {
    const rows: unknown = await manager.query(PREVIOUS_WEBHOOK_SECRET, [workspaceId, id]);
    const [row] = rows as { hash: Buffer; sealed: Buffer | null; expiresAt: Date }[];
    return row ?? null;
  }

  async replaceWebhookSecret(
    { workspaceId, id }: AgentEntity,
    { hash, sealed }: { hash: Buffer; sealed: Buffer },
    graceSeconds: number,
    { manager }: Transaction,
  ): Promise<Date> {
    const answer: unknown = await manager.query(REPLACE_WEBHOOK_SECRET, [workspaceId, id, hash, sealed, graceSeconds]);
    const [[row]] = answer as [{ until: Date }[]];
    return row!.until;
  }

  /**
   * The unique indexes find another agent that is not archived and has the same name or tool, so the call waits for a
   * concurrent insert of the same name.
   * @throws DomainError `name_taken`
   */
  async insert(agent: NewAgent, transaction: Transaction): Promise<void> {
    const row = { ...agent, productionVersion: 1, latestVersion: 1 };
    const result = await transaction.manager
      .createQueryBuilder()
      .insert()
      .into(AgentEntity)
      .values(row)
      .orIgnore()
      .returning('id')
      .updateEntity(false)
      .execute();
    if ((result.raw as unknown[]).length === 1) return;
    await this.requireFree(agent.workspaceId, agent, agent.id, transaction);
    throw nameTaken(agent.name);
  }

  async insertDraft(agent: NewAgent & Pick<AgentEntity, 'draftKeyId'>, { manager }: Transaction): Promise<void> {
    const draftUntil = () => `clock_timestamp() + interval '${DRAFT_LIFE}'`;
    const row = { ...agent, productionVersion: 1, latestVersion: 1, status: 'archived', draftUntil } as const;
    await manager.createQueryBuilder().insert().into(AgentEntity).values(row).updateEntity(false).execute();
  }

  /** For one minute after an agent is archived, workers cancel runs that were accepted while it was being archived. */
  async setStatus({ workspaceId, id }: AgentEntity, status: AgentStatus, { manager }: Transaction): Promise<void> {
    const sweep = status === 'archived' && { sweepUntil: () => `clock_timestamp() + interval '${SWEEP}'` };
    await manager.update(AgentEntity, { workspaceId, id }, { status, updatedAt: () => 'clock_timestamp()', ...sweep });
  }

  /**
   * The caller must hold the lock of the agent.
   * @throws DomainError `name_taken`, even if a concurrent transaction has just created the other agent
   */
  async promote(
    { workspaceId, id, productionVersion }: AgentEntity,
    { version, ...facts }: Pick<AgentEntity, 'name' | 'description' | 'labels' | 'mcpTool'> & { version: number },
    transaction: Transaction,
  ): Promise<void> {
    await this.requireFree(workspaceId, facts, id, transaction);
    const change = { ...facts, productionVersion: version, updatedAt: () => 'clock_timestamp()' };
    const result = await transaction.manager
      .update(AgentEntity, { workspaceId, id, productionVersion }, change)
      .catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error;
        return undefined;
      });
    if (result?.affected !== 1) throw nameTaken(facts.name);
  }

  /** The mode `for_no_key_update` is sufficient and does not block inserts of rows that refer to the agent. */
  async lock(workspaceId: string, id: string, { manager }: Transaction): Promise<AgentEntity | null> {
    return manager.findOne(AgentEntity, { where: { workspaceId, id }, lock: { mode: 'for_no_key_update' } });
  }

  /** @throws DomainError `not_found` (also for a malformed id), `agent_archived` */
  async lockActive(workspaceId: string, id: string, transaction: Transaction): Promise<AgentEntity> {
    const agent = isId('agent', id) ? await this.lock(workspaceId, id, transaction) : null;
    if (!agent) throw notFound('agent', id);
    if (agent.status === 'archived') throw agentArchived(agent);
    return agent;
  }

  /** @throws DomainError `name_taken` if another agent that is not archived has the name or the tool */
  private async requireFree(
    workspaceId: string,
    { name, mcpTool }: Pick<AgentEntity, 'name' | 'mcpTool'>,
    id: string,
    transaction: Transaction,
  ): Promise<void> {
    if (await this.isNameTaken(workspaceId, name, id, transaction)) throw nameTaken(name);
    if (mcpTool === null) return;
    const where: FindOptionsWhere<AgentEntity> = { workspaceId, mcpTool, status: Not('archived'), id: Not(id) };
    if (await transaction.manager.existsBy(AgentEntity, where)) throw toolTaken(mcpTool);
  }

  async exposed(workspaceId: string, { after, ids, limit }: ExposedFilter): Promise<AgentEntity[]> {
    const tool = after === undefined ? Not(IsNull()) : MoreThan(after);
    const where: FindOptionsWhere<AgentEntity> = { workspaceId, status: 'active', mcpTool: tool };
    if (ids !== null) where.id = In([...ids]);
    return orUnavailable(this.table.find({ where, order: { mcpTool: 'asc' }, take: limit }));
  }

  async findExposed(workspaceId: string, mcpTool: string): Promise<AgentEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, mcpTool, status: 'active' }));
  }

  async isNameTaken(
    workspaceId: string,
    name: string,
    byOtherThan: string,
    { manager }: Transaction,
  ): Promise<boolean> {
    return manager.existsBy(AgentEntity, { workspaceId, name, status: Not('archived'), id: Not(byOtherThan) });
  }

  /** A version without a project does not change the project of the agent. */
  async setLatestVersion(
    { workspaceId, agentId: id, version, project }: Pick<NewVersion, 'workspaceId' | 'agentId' | 'version' | 'project'>,
    { manager }: Transaction,
  ): Promise<void> {
    const change = {
      latestVersion: version,
      updatedAt: () => 'clock_timestamp()',
      ...(project !== null && { project }),
    };
    await manager.update(AgentEntity, { workspaceId, id }, change);
  }
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: string }).code === UNIQUE_VIOLATION;
}

export function nameTaken(name: string): DomainError {
  const detail = `Another agent of this workspace has the name ${JSON.stringify(name)}. Choose another name or archive that agent.`;
  return new DomainError('name_taken', detail, { errors: [{ pointer: '/name', detail }] });
}

function toolTaken(tool: string): DomainError {
  const detail = `Another agent of this workspace is the tool ${JSON.stringify(tool)}. Choose another name for the tool or archive that agent.`;
  return new DomainError('name_taken', detail, { errors: [{ pointer: '/expose/mcp/tool', detail }] });
}

export function agentArchived(agent: AgentEntity): DomainError {
  return new DomainError(
    'agent_archived',
    `The agent ${JSON.stringify(agent.name)} is archived and cannot be changed.`,
  );
}
