import type { PageRequest } from '@app/kernel';
import { isUnique, orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, In, IsNull, LessThan, MoreThan, Repository } from 'typeorm';
import { KnowledgeBaseEntity } from './knowledge-base.entity.js';
import type { IndexChange } from './base-index.js';

export interface KnowledgeBaseFilter {
  name?: string;
}

export type NewKnowledgeBase = Pick<
  KnowledgeBaseEntity,
  'id' | 'workspaceId' | 'name' | 'description' | 'region' | 'settings' | 'indexed' | 'createdBy'
>;

export type KnowledgeBaseChange = Partial<Pick<KnowledgeBaseEntity, 'name' | 'description' | 'settings'>>;

const SOURCES = 'select id from knowledge_sources where workspace_id = $1 and knowledge_base_id = $2';

/** Bases that are not deleted. */
@Injectable()
export class KnowledgeBaseRepository {
  constructor(@InjectRepository(KnowledgeBaseEntity) private readonly table: Repository<KnowledgeBaseEntity>) {}

  find(workspaceId: string, id: string): Promise<KnowledgeBaseEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, id, deletedAt: IsNull() }));
  }

  /** Ids and names of those whose id or name is among these. */
  async named(workspaceId: string, names: readonly string[]): Promise<Pick<KnowledgeBaseEntity, 'id' | 'name'>[]> {
    const alive = { workspaceId, deletedAt: IsNull() };
    const where = [
      { ...alive, id: In(names) },
      { ...alive, name: In(names) },
    ];
    return orUnavailable(this.table.find({ where, select: { id: true, name: true } }));
  }

  /** Up to `limit + 1` bases in keyset order of the id. */
  page(workspaceId: string, { name }: KnowledgeBaseFilter, page: PageRequest): Promise<KnowledgeBaseEntity[]> {
    const where: FindOptionsWhere<KnowledgeBaseEntity> = { workspaceId, deletedAt: IsNull() };
    if (name !== undefined) where.name = name;
    if (page.after !== undefined) where.id = page.order === 'asc' ? MoreThan(page.after) : LessThan(page.after);
    return orUnavailable(this.table.find({ where, order: { id: page.order }, take: page.limit + 1 }));
  }

  /** False where a base has the name: the unique index decides, and an insert that is under way is waited for. */
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

  /** Locked until the transaction ends; the weaker of the row locks does not hold up rows that refer to the base. */
  lock(workspaceId: string, id: string, { manager }: Transaction): Promise<KnowledgeBaseEntity | null> {
    const where = { workspaceId, id, deletedAt: IsNull() };
    return manager.findOne(KnowledgeBaseEntity, { where, lock: { mode: 'for_no_key_update' } });
  }

  /** The caller holds the base's lock. False where another base has the name: then the transaction is over. */
  async change(
    { workspaceId, id }: Pick<KnowledgeBaseEntity, 'workspaceId' | 'id'>,
    change: KnowledgeBaseChange,
    index: IndexChange,
    { manager }: Transaction,
  ): Promise<boolean> {
    const due = index.building === undefined ? {} : { indexDueAt: () => 'clock_timestamp()' };
    const changed = { ...change, ...index, ...due, updatedAt: () => 'clock_timestamp()' };
    return isUnique(manager.update(KnowledgeBaseEntity, { workspaceId, id }, changed), 'knowledge_bases_name_uq');
  }

  /** The caller holds the base's lock. */
  async raiseAccessVersion(workspaceId: string, id: string, { manager }: Transaction): Promise<void> {
    await manager.increment(KnowledgeBaseEntity, { workspaceId, id }, 'accessVersion', 1);
  }

  /** False where there was none. */
  async markDeleted(workspaceId: string, id: string, { manager }: Transaction): Promise<boolean> {
    const where = { workspaceId, id, deletedAt: IsNull() };
    const { affected } = await manager.update(KnowledgeBaseEntity, where, { deletedAt: () => 'clock_timestamp()' });
    return affected === 1;
  }

  /** The ids of its sources, deleted ones included. */
  async sourcesOf(workspaceId: string, id: string, { manager }: Transaction): Promise<string[]> {
    return (await manager.query<{ id: string }[]>(SOURCES, [workspaceId, id])).map((source) => source.id);
  }
}
