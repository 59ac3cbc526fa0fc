import type { Page, PageRequest } from '@app/kernel';
import {
  findPage,
  isUnique,
  orUnavailable,
  type Statement,
  Statements,
  type Transaction,
} from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, In, IsNull, Repository } from 'typeorm';
import { type BaseContents, KnowledgeBaseEntity } from './knowledge-base.entity.js';
import type { IndexChange, IndexCounts } from './base-index.js';

export interface KnowledgeBaseFilter {
  name?: string;
}

export type NewKnowledgeBase = Pick<
  KnowledgeBaseEntity,
  'id' | 'workspaceId' | 'name' | 'description' | 'region' | 'settings' | 'indexed' | 'createdBy'
>;

export type KnowledgeBaseChange = Partial<Pick<KnowledgeBaseEntity, 'name' | 'description' | 'settings'>>;

const COUNT_INDEX_WORK: Statement = {
  name: 'knowledge_index.counts',
  text: `select b.id,
      case when b.building is null then 0 else (select count(*)::integer from knowledge_documents d
        where d.knowledge_base_id = b.id and d.deleted_at is null and d.built_generation = b.building) end as done,
      (select count(*)::integer from knowledge_vectors v join knowledge_documents d on d.id = v.document_id and d.deleted_at is null
        where v.knowledge_base_id = b.id and v.generation in (b.generation, b.building) and v.bits is null and v.refusal is null)
        as waiting
    from knowledge_bases b where b.workspace_id = $1 and b.id = any ($2::text[])`,
};

const COUNT_CONTENTS: Statement = {
  name: 'knowledge_bases.contents',
  text: `select b.id,
      (select jsonb_build_object('total', count(*), 'syncing', count(*) filter (where s.status = 'syncing'),
          'failing', count(*) filter (where s.status = 'error'), 'expired', count(*) filter (where s.authorization_state = 'expired'))
        from knowledge_sources s where s.workspace_id = b.workspace_id and s.knowledge_base_id = b.id and s.deleted_at is null) as sources,
      (select jsonb_build_object('users', count(*) filter (where g.type = 'user'), 'groups', count(*) filter (where g.type = 'group'),
          'channels', count(*) filter (where g.type = 'channel'), 'agents', count(*) filter (where g.type = 'agent'))
        from knowledge_grants g where g.workspace_id = b.workspace_id and g.knowledge_base_id = b.id) as grants
    from knowledge_bases b where b.workspace_id = $1 and b.id = any ($2::text[])`,
};

const SOURCES = 'select id from knowledge_sources where workspace_id = $1 and knowledge_base_id = $2';

/** Stores knowledge bases. Reads exclude deleted bases. */
@Injectable()
export class KnowledgeBaseRepository {
  constructor(
    @InjectRepository(KnowledgeBaseEntity) private readonly table: Repository<KnowledgeBaseEntity>,
    private readonly statements: Statements,
  ) {}

  find(workspaceId: string, id: string): Promise<KnowledgeBaseEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, id, deletedAt: IsNull() }));
  }

  /** Each entry of `names` is an id or a name. */
  async findNamed(workspaceId: string, names: readonly string[]): Promise<Pick<KnowledgeBaseEntity, 'id' | 'name'>[]> {
    const alive = { workspaceId, deletedAt: IsNull() };
    const where = [
      { ...alive, id: In(names) },
      { ...alive, name: In(names) },
    ];
    return orUnavailable(this.table.find({ where, select: { id: true, name: true } }));
  }

  readPage(workspaceId: string, { name }: KnowledgeBaseFilter, page: PageRequest): Promise<Page<KnowledgeBaseEntity>> {
    const where: FindOptionsWhere<KnowledgeBaseEntity> = { workspaceId, deletedAt: IsNull() };
    if (name !== undefined) where.name = name;
    return findPage(this.table, where, page);
  }

  /** A unique index decides between concurrent inserts. */
  async insert(base: NewKnowledgeBase, { manager }: Transaction): Promise<boolean> {
    const insertion = manager
      .createQueryBuilder()
      .insert()
      .into(KnowledgeBaseEntity)
      .values(base)
      .orIgnore()
      .returning('id');
    return ((await insertion.updateEntity(false).execute()).raw as unknown[]).length === 1;
  }

  /** This lock does not block inserts of rows that refer to the base. */
  lock(workspaceId: string, id: string, { manager }: Transaction): Promise<KnowledgeBaseEntity | null> {
    const where = { workspaceId, id, deletedAt: IsNull() };
    return manager.findOne(KnowledgeBaseEntity, { where, lock: { mode: 'for_no_key_update' } });
  }

  async updateBase(
    { workspaceId, id }: Pick<KnowledgeBaseEntity, 'workspaceId' | 'id'>,
    change: KnowledgeBaseChange,
    index: IndexChange,
    { manager }: Transaction,
  ): Promise<boolean> {
    const due = index.building === undefined ? {} : { indexDueAt: () => 'clock_timestamp()' };
    const changed = { ...change, ...index, ...due, updatedAt: () => 'clock_timestamp()' };
    return isUnique(manager.update(KnowledgeBaseEntity, { workspaceId, id }, changed), 'knowledge_bases_name_uq');
  }

  async raiseAccessVersion(workspaceId: string, id: string, { manager }: Transaction): Promise<void> {
    await manager.increment(KnowledgeBaseEntity, { workspaceId, id }, 'accessVersion', 1);
  }

  async markDeleted(workspaceId: string, id: string, { manager }: Transaction): Promise<boolean> {
    const where = { workspaceId, id, deletedAt: IsNull() };
    const { affected } = await manager.update(KnowledgeBaseEntity, where, { deletedAt: () => 'clock_timestamp()' });
    return affected === 1;
  }

  async readSourceIds(workspaceId: string, id: string, { manager }: Transaction): Promise<string[]> {
    return (await manager.query<{ id: string }[]>(SOURCES, [workspaceId, id])).map((source) => source.id);
  }

  countContents(workspaceId: string, bases: readonly string[]): Promise<(BaseContents & { id: string })[]> {
    return this.statements.query<BaseContents & { id: string }>(COUNT_CONTENTS, [workspaceId, bases]);
  }

  countIndexWork(workspaceId: string, bases: readonly string[]): Promise<IndexCounts[]> {
    return this.statements.query<IndexCounts>(COUNT_INDEX_WORK, [workspaceId, bases]);
  }
}
