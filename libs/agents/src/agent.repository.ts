import type { PageRequest } from '@app/kernel';
import { orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, LessThan, MoreThan, Not, Repository } from 'typeorm';
import type { AgentStatus } from './agent-status.js';
import { Agent } from './agent.entity.js';

export interface AgentFilter {
  name?: string;
  /** Without it: every agent that is not archived. */
  status?: AgentStatus;
}

export type NewAgent = Pick<Agent, 'id' | 'workspaceId' | 'name' | 'description' | 'labels'> & {
  webhookSecretHash: Buffer;
};

const PRODUCTION_VERSION: Statement = {
  name: 'agents.production_version',
  text: 'select production_version as version from agents where workspace_id = $1 and id = $2',
};

@Injectable()
export class AgentRepository {
  constructor(
    @InjectRepository(Agent) private readonly table: Repository<Agent>,
    private readonly statements: Statements,
  ) {}

  async find(workspaceId: string, id: string, transaction?: Transaction): Promise<Agent | null> {
    const table = transaction?.manager.getRepository(Agent) ?? this.table;
    return orUnavailable(table.findOneBy({ workspaceId, id }));
  }

  /** Up to `limit + 1` agents in keyset order of the id. */
  async page(workspaceId: string, { name, status }: AgentFilter, page: PageRequest): Promise<Agent[]> {
    const where: FindOptionsWhere<Agent> = { workspaceId, status: status ?? Not('archived') };
    if (name !== undefined) where.name = name;
    if (page.after !== undefined) where.id = page.order === 'asc' ? MoreThan(page.after) : LessThan(page.after);
    return orUnavailable(this.table.find({ where, order: { id: page.order }, take: page.limit + 1 }));
  }

  async findProductionVersion(workspaceId: string, id: string): Promise<{ version: number } | undefined> {
    const [found] = await this.statements.query<{ version: number }>(PRODUCTION_VERSION, [workspaceId, id]);
    return found;
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
      .into(Agent)
      .values(row)
      .orIgnore()
      .returning('id')
      .updateEntity(false)
      .execute();
    return (result.raw as unknown[]).length === 1;
  }

  /** Compare-and-set; false where the status was not `from` any more. */
  async changeStatus(workspaceId: string, id: string, from: AgentStatus, to: AgentStatus): Promise<boolean> {
    const change = { status: to, updatedAt: () => 'clock_timestamp()' };
    const result = await orUnavailable(this.table.update({ workspaceId, id, status: from }, change));
    return result.affected === 1;
  }

  /**
   * The agent, locked until the transaction ends: versions of one agent are created one after the other. The weaker of
   * the two row locks is enough and does not hold up rows that refer to the agent.
   */
  async lock(workspaceId: string, id: string, { manager }: Transaction): Promise<Agent | null> {
    return manager.findOne(Agent, { where: { workspaceId, id }, lock: { mode: 'for_no_key_update' } });
  }

  async isNameTaken(
    workspaceId: string,
    name: string,
    byOtherThan: string,
    { manager }: Transaction,
  ): Promise<boolean> {
    return manager.existsBy(Agent, { workspaceId, name, status: Not('archived'), id: Not(byOtherThan) });
  }

  /** The caller holds the agent's lock. */
  async setLatestVersion(workspaceId: string, id: string, version: number, { manager }: Transaction): Promise<void> {
    await manager.update(Agent, { workspaceId, id }, { latestVersion: version, updatedAt: () => 'clock_timestamp()' });
  }
}
