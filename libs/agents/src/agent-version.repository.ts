import type { JsonObject, PageRequest } from '@app/kernel';
import { orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, LessThan, MoreThan, Repository } from 'typeorm';
import { AgentVersion, type ListedVersion } from './agent-version.entity.js';

export type NewVersion = Omit<AgentVersion, 'createdAt' | 'isProduction'>;

const DEFINITION: Statement = {
  name: 'agents.version_definition',
  text: 'select definition from agent_versions where workspace_id = $1 and agent_id = $2 and version = $3',
};

const INSERT = `insert into agent_versions
    (workspace_id, agent_id, version, source, source_format, definition, definition_hash, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

@Injectable()
export class AgentVersionRepository {
  constructor(
    @InjectRepository(AgentVersion) private readonly table: Repository<AgentVersion>,
    private readonly statements: Statements,
  ) {}

  async find(
    workspaceId: string,
    agentId: string,
    version: number,
    transaction?: Transaction,
  ): Promise<AgentVersion | null> {
    const table = transaction?.manager.getRepository(AgentVersion) ?? this.table;
    const query = table.createQueryBuilder('version').addSelect('version.source');
    return orUnavailable(query.where({ workspaceId, agentId, version }).getOne());
  }

  /** Up to `limit + 1` versions in order of their number; `page.after` is a number in decimal digits. */
  async page(workspaceId: string, agentId: string, page: PageRequest): Promise<ListedVersion[]> {
    const where: FindOptionsWhere<AgentVersion> = { workspaceId, agentId };
    if (page.after !== undefined) {
      where.version = page.order === 'asc' ? MoreThan(Number(page.after)) : LessThan(Number(page.after));
    }
    const order = { version: page.order };
    return orUnavailable(this.table.find({ where, order, take: page.limit + 1 }));
  }

  async findDefinition(workspaceId: string, agentId: string, version: number): Promise<JsonObject | undefined> {
    const values = [workspaceId, agentId, version];
    const [found] = await this.statements.query<{ definition: JsonObject }>(DEFINITION, values);
    return found?.definition;
  }

  async insert(version: NewVersion, { manager }: Transaction): Promise<void> {
    const { workspaceId, agentId, source, sourceFormat, definition, definitionHash, createdBy } = version;
    const number = version.version;
    const values = [workspaceId, agentId, number, source, sourceFormat, definition, definitionHash, createdBy];
    await manager.query(INSERT, values);
  }
}
