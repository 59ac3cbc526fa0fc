import type { Page, PageRequest } from '@app/kernel';
import { findPage, orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { UploadBytesService } from '../../uploads/upload-bytes.service.js';
import { KnowledgeSourceEntity } from './knowledge-source.entity.js';
import { STATUS_BY_SYNCS } from './source-status.js';
import type { SyncSchedule } from './sync-schedule.js';

export type NewSource = Pick<
  KnowledgeSourceEntity,
  'id' | 'workspaceId' | 'knowledgeBaseId' | 'connector' | 'config' | 'schedule' | 'nextSyncAt' | 'createdBy'
>;

export type SourceChange = Partial<Pick<KnowledgeSourceEntity, 'config' | 'schedule' | 'nextSyncAt'>> & {
  status?: 'active' | 'paused';
};

/** Every read and write uses all three ids. */
export type SourcePlace = Pick<KnowledgeSourceEntity, 'workspaceId' | 'knowledgeBaseId' | 'id'>;

export interface DueSource {
  workspaceId: string;
  knowledgeBaseId: string;
  id: string;
  schedule: SyncSchedule;
  nextSyncAt: Date;
  now: Date;
}

const INSERT = `insert into knowledge_sources (id, workspace_id, knowledge_base_id, connector, config, schedule, next_sync_at, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

const BASE_IS_THERE = 'select 1 from knowledge_bases where workspace_id = $1 and id = $2 and deleted_at is null';

/**
 * A null value leaves the column unchanged. When a paused source becomes active, its status is derived from its syncs.
 */
const CHANGE = `update knowledge_sources set config = coalesce($3::jsonb, config), schedule = coalesce($4::jsonb, schedule),
    next_sync_at = case when $4::jsonb is null then next_sync_at else $5::timestamptz end,
    status = case when $6::text = 'paused' then $6 when $6 = 'active' and status = 'paused' then ${STATUS_BY_SYNCS} else status end,
    updated_at = clock_timestamp()
  where workspace_id = $1 and id = $2`;

/** Excludes paused sources, sources of deleted knowledge bases and sources of stopped workspaces. */
const DUE_SOURCES = `knowledge_sources s
    join workspaces w on w.id = s.workspace_id and w.state = 'active'
    join knowledge_bases b on b.workspace_id = s.workspace_id and b.id = s.knowledge_base_id and b.deleted_at is null
   where s.next_sync_at <= statement_timestamp() and s.deleted_at is null and s.status <> 'paused'`;

export const HAS_DUE_SOURCE = `exists (select from ${DUE_SOURCES})`;

const DUE: Statement = {
  name: 'knowledge_sources.due',
  text: `select s.workspace_id as "workspaceId", s.knowledge_base_id as "knowledgeBaseId", s.id, s.schedule,
      s.next_sync_at as "nextSyncAt", clock_timestamp() as now
    from ${DUE_SOURCES}
   order by s.next_sync_at limit $1`,
};

const AUTHORIZED = `update knowledge_sources
  set authorization_state = 'authorized', account = $3, updated_at = clock_timestamp()
  where workspace_id = $1 and id = $2 and deleted_at is null`;

const EXPIRED = `update knowledge_sources set authorization_state = 'expired', updated_at = clock_timestamp()
  where workspace_id = $1 and id = $2 and deleted_at is null`;

/** Reads exclude deleted sources. */
@Injectable()
export class KnowledgeSourceRepository {
  constructor(
    @InjectRepository(KnowledgeSourceEntity) private readonly table: Repository<KnowledgeSourceEntity>,
    private readonly statements: Statements,
    private readonly uploads: UploadBytesService,
  ) {}

  find({ workspaceId, knowledgeBaseId, id }: SourcePlace): Promise<KnowledgeSourceEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, knowledgeBaseId, id, deletedAt: IsNull() }));
  }

  readPage(workspaceId: string, knowledgeBaseId: string, page: PageRequest): Promise<Page<KnowledgeSourceEntity>> {
    return findPage(this.table, { workspaceId, knowledgeBaseId, deletedAt: IsNull() }, page);
  }

  async insert(source: NewSource, { manager }: Transaction): Promise<void> {
    const { id, workspaceId, knowledgeBaseId, connector, config, schedule, nextSyncAt, createdBy } = source;
    const values = [id, workspaceId, knowledgeBaseId, connector, JSON.stringify(config), JSON.stringify(schedule)];
    await manager.query(INSERT, [...values, nextSyncAt, createdBy]);
  }

  /** Returns null if the source or its knowledge base is deleted. */
  async lock(
    { workspaceId, knowledgeBaseId, id }: SourcePlace,
    { manager }: Transaction,
  ): Promise<KnowledgeSourceEntity | null> {
    const where = { workspaceId, knowledgeBaseId, id, deletedAt: IsNull() };
    const source = await manager.findOne(KnowledgeSourceEntity, { where, lock: { mode: 'for_no_key_update' } });
    const bases = await manager.query<unknown[]>(BASE_IS_THERE, [workspaceId, knowledgeBaseId]);
    return bases.length > 0 ? source : null;
  }

  async updateSource(place: SourcePlace, change: SourceChange, { manager }: Transaction): Promise<void> {
    const { config, schedule, nextSyncAt = null, status = null } = change;
    const texts = [config, schedule].map((value) => (value === undefined ? null : JSON.stringify(value)));
    await manager.query(CHANGE, [place.workspaceId, place.id, ...texts, nextSyncAt, status]);
  }

  async markAuthorized(
    { workspaceId, sourceId }: { workspaceId: string; sourceId: string },
    account: string | null,
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(AUTHORIZED, [workspaceId, sourceId, account]);
  }

  async markExpired(
    { workspaceId, sourceId }: { workspaceId: string; sourceId: string },
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(EXPIRED, [workspaceId, sourceId]);
  }

  async markDeleted({ workspaceId, knowledgeBaseId, id }: SourcePlace, transaction: Transaction): Promise<void> {
    const { manager } = transaction;
    const change = { status: 'deleting', nextSyncAt: null, deletedAt: () => 'clock_timestamp()' } as const;
    await manager.update(KnowledgeSourceEntity, { workspaceId, knowledgeBaseId, id }, change);
    await this.uploads.removeAll(workspaceId, [id], transaction);
    await manager.query('delete from knowledge_page_links where workspace_id = $1 and source_id = $2', [
      workspaceId,
      id,
    ]);
  }

  async readNow({ manager }: Transaction): Promise<Date> {
    const [row] = await manager.query<{ now: Date }[]>('select clock_timestamp() as now');
    return row!.now;
  }

  findDue(limit: number): Promise<DueSource[]> {
    return this.statements.query<DueSource>(DUE, [limit]);
  }

  /** Returns false if another process has already changed this time. That process then requests the sync. */
  async advanceSchedule(
    { workspaceId, id, nextSyncAt }: DueSource,
    next: Date | null,
    { manager }: Transaction,
  ): Promise<boolean> {
    const where = { workspaceId, id, nextSyncAt, deletedAt: IsNull() };
    return (await manager.update(KnowledgeSourceEntity, where, { nextSyncAt: next })).affected === 1;
  }
}
