import type { JsonObject, PageRequest } from '@app/kernel';
import { orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, LessThan, MoreThan, Repository } from 'typeorm';
import { AgentVersionEntity, type ListedVersion } from './agent-version.entity.js';
import type { ToolDescriptions } from '@app/definition';

export type NewVersion = Omit<AgentVersionEntity, 'createdAt' | 'isProduction' | 'evaluation'>;

export interface StoredDefinition {
  definition: JsonObject;
  descriptions: ToolDescriptions;
  hash: string;
}

const DEFINITION: Statement = {
  name: 'agents.version_definition',
  text: `select v.definition, v.definition_hash as hash, coalesce((
      select json_object_agg(t.tool, t.description) from agent_version_tools t
       where t.workspace_id = v.workspace_id and t.agent_id = v.agent_id and t.version = v.version), '{}') as descriptions
    from agent_versions v where v.workspace_id = $1 and v.agent_id = $2 and v.version = $3`,
};

/** Stores descriptions of tools. If a tool already has a description, the new one is ignored. */
const DESCRIBE: Statement = {
  name: 'agents.describe_tools',
  text: `insert into agent_version_tools (workspace_id, agent_id, version, tool, description)
    select $1, $2, $3, d.key, d.value from jsonb_each($4::jsonb) d
    on conflict on constraint agent_version_tools_pk do nothing`,
};

const INSERT = `insert into agent_versions
    (workspace_id, agent_id, version, source, source_format, definition, definition_hash, created_by, project)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

@Injectable()
export class AgentVersionRepository {
  constructor(
    @InjectRepository(AgentVersionEntity) private readonly table: Repository<AgentVersionEntity>,
    private readonly statements: Statements,
  ) {}

  async find(
    workspaceId: string,
    agentId: string,
    version: number,
    transaction?: Transaction,
  ): Promise<AgentVersionEntity | null> {
    const table = transaction?.manager.getRepository(AgentVersionEntity) ?? this.table;
    const query = table.createQueryBuilder('version').addSelect('version.source');
    return orUnavailable(query.where({ workspaceId, agentId, version }).getOne());
  }

  /** `page.after` is a version number in decimal digits. */
  async page(workspaceId: string, agentId: string, page: PageRequest): Promise<ListedVersion[]> {
    const where: FindOptionsWhere<AgentVersionEntity> = { workspaceId, agentId };
    if (page.after !== undefined) {
      where.version = page.order === 'asc' ? MoreThan(Number(page.after)) : LessThan(Number(page.after));
    }
    const order = { version: page.order };
    return orUnavailable(this.table.find({ where, order, take: page.limit + 1 }));
  }

  async findDefinition(workspaceId: string, agentId: string, version: number): Promise<StoredDefinition | undefined> {
    const [found] = await this.statements.query<StoredDefinition>(DEFINITION, [workspaceId, agentId, version]);
    return found;
  }

  async describe(workspaceId: string, agentId: string, version: number, descriptions: ToolDescriptions): Promise<void> {
    await this.statements.query(DESCRIBE, [workspaceId, agentId, version, JSON.stringify(descriptions)]);
  }

  async insert(version: NewVersion, descriptions: ToolDescriptions, { manager }: Transaction): Promise<void> {
    const { workspaceId, agentId, source, sourceFormat, definition, definitionHash, createdBy, project } = version;
    const number = version.version;
    const values = [workspaceId, agentId, number, source, sourceFormat, definition, definitionHash, createdBy, project];
    await manager.query(INSERT, values);
    if (Object.keys(descriptions).length === 0) return;
    await manager.query(DESCRIBE.text, [workspaceId, agentId, number, JSON.stringify(descriptions)]);
  }
}
