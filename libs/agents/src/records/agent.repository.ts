import { isId, notFound, type PageRequest } from '@app/kernel';
import { orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, In, LessThan, MoreThan, Not, QueryFailedError, Repository } from 'typeorm';
import type { AgentStatus } from './agent-status.js';
import { agentArchived } from './agent-refusals.js';
import { AgentEntity } from './agent.entity.js';

export interface AgentFilter {
  name?: string;
  /** Without it: every agent that is not archived. */
  status?: AgentStatus;
}

export type NewAgent = Pick<AgentEntity, 'id' | 'workspaceId' | 'name' | 'description' | 'labels'> & {
  webhookSecretHash: Buffer;
  webhookSecret: Buffer;
};

/** What is stored of a webhook secret; `sealed` null: only its hash. */
export interface KnownWebhookSecret {
  hash: Buffer;
  sealed: Buffer | null;
  /** Whether it is one from before the last rotation but one, which are sealed for another cell. */
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

const PRODUCTION_VERSION: Statement = {
  name: 'agents.production_version',
  text: 'select production_version as version from agents where workspace_id = $1 and id = $2',
};

// Longer than a transaction that accepts a run may take.
const SWEEP = '1 minute';

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

  /** Up to `limit + 1` agents in keyset order of the id. */
  async page(workspaceId: string, { name, status }: AgentFilter, page: PageRequest): Promise<AgentEntity[]> {
    const where: FindOptionsWhere<AgentEntity> = { workspaceId, status: status ?? Not('archived') };
    if (name !== undefined) where.name = name;
    if (page.after !== undefined) where.id = page.order === 'asc' ? MoreThan(page.after) : LessThan(page.after);
    return orUnavailable(this.table.find({ where, order: { id: page.order }, take: page.limit + 1 }));
  }

  async idsAmong(workspaceId: string, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await orUnavailable(
      this.table.find({ select: { id: true }, where: { workspaceId, id: In([...ids]) } }),
    );
    return rows.map(({ id }) => id);
  }

  async findProductionVersion(workspaceId: string, id: string): Promise<{ version: number } | undefined> {
    const [found] = await this.statements.query<{ version: number }>(PRODUCTION_VERSION, [workspaceId, id]);
    return found;
  }

  /** Of whatever workspace: the one read that finds out whose webhook it is. */
  async findWebhookSecrets(
    id: string,
  ): Promise<{ workspaceId: string; secrets: readonly KnownWebhookSecret[] } | undefined> {
    const secrets = await this.statements.query<KnownWebhookSecret & { workspaceId: string }>(WEBHOOK_SECRETS, [id]);
    return secrets[0] && { workspaceId: secrets[0].workspaceId, secrets };
  }

  /** The one before the current one, valid or not; null where there was no rotation. */
  async previousWebhookSecret(
    { workspaceId, id }: AgentEntity,
    { manager }: Transaction,
  ): Promise<{ hash: Buffer; sealed: Buffer | null; expiresAt: Date } | null> {
    const rows: unknown = await manager.query(PREVIOUS_WEBHOOK_SECRET, [workspaceId, id]);
    const [row] = rows as { hash: Buffer; sealed: Buffer | null; expiresAt: Date }[];
    return row ?? null;
  }

  /** Until when the secret before it is valid. The caller holds the agent's lock. */
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
   * False where an agent that is not archived has the name: the unique index decides, and an insert of the same name
   * that is still under way is waited for.
   */
  async insert(agent: NewAgent, { manager }: Transaction): Promise<boolean> {
    const row = { ...agent, productionVersion: 1, latestVersion: 1 };
    const result = await manager
      .createQueryBuilder()
      .insert()
      .into(AgentEntity)
      .values(row)
      .orIgnore()
      .returning('id')
      .updateEntity(false)
      .execute();
    return (result.raw as unknown[]).length === 1;
  }

  /**
   * The caller holds the agent's lock. Of an archived one the runs that were just being accepted are looked for a
   * while.
   */
  async setStatus({ workspaceId, id }: AgentEntity, status: AgentStatus, { manager }: Transaction): Promise<void> {
    const sweep = status === 'archived' && { sweepUntil: () => `clock_timestamp() + interval '${SWEEP}'` };
    await manager.update(AgentEntity, { workspaceId, id }, { status, updatedAt: () => 'clock_timestamp()', ...sweep });
  }

  /**
   * Makes the version the production version, together with what its definition says of the agent. False where another
   * agent has the name: the unique index decides. The caller holds the agent's lock.
   */
  async promote(
    { workspaceId, id, productionVersion }: AgentEntity,
    { version, ...facts }: Pick<AgentEntity, 'name' | 'description' | 'labels'> & { version: number },
    transaction: Transaction,
  ): Promise<boolean> {
    if (await this.isNameTaken(workspaceId, facts.name, id, transaction)) return false;
    const change = { ...facts, productionVersion: version, updatedAt: () => 'clock_timestamp()' };
    const result = await transaction.manager
      .update(AgentEntity, { workspaceId, id, productionVersion }, change)
      .catch((error: unknown) => {
        if (isUniqueViolation(error)) return undefined;
        throw error;
      });
    return result?.affected === 1;
  }

  /**
   * The agent, locked until the transaction ends: versions of one agent are created one after the other. The weaker of
   * the two row locks is enough and does not hold up rows that refer to the agent.
   */
  async lock(workspaceId: string, id: string, { manager }: Transaction): Promise<AgentEntity | null> {
    return manager.findOne(AgentEntity, { where: { workspaceId, id }, lock: { mode: 'for_no_key_update' } });
  }

  /**
   * Its row, locked, to be changed in a way that an archived agent is not.
   * @throws DomainError `not_found`, also for a malformed id, and `agent_archived`
   */
  async lockActive(workspaceId: string, id: string, transaction: Transaction): Promise<AgentEntity> {
    const agent = isId('agent', id) ? await this.lock(workspaceId, id, transaction) : null;
    if (!agent) throw notFound('agent', id);
    if (agent.status === 'archived') throw agentArchived(agent);
    return agent;
  }

  async isNameTaken(
    workspaceId: string,
    name: string,
    byOtherThan: string,
    { manager }: Transaction,
  ): Promise<boolean> {
    return manager.existsBy(AgentEntity, { workspaceId, name, status: Not('archived'), id: Not(byOtherThan) });
  }

  /** The caller holds the agent's lock. */
  async setLatestVersion(workspaceId: string, id: string, version: number, { manager }: Transaction): Promise<void> {
    await manager.update(
      AgentEntity,
      { workspaceId, id },
      { latestVersion: version, updatedAt: () => 'clock_timestamp()' },
    );
  }
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: string }).code === UNIQUE_VIOLATION;
}
