import type { Page, PageRequest } from '@app/kernel';
import { findPage, orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { STATUS_BY_SYNCS } from '../sources/store/source-status.js';
import { KnowledgeSyncEntity } from './knowledge-sync.entity.js';

export type NewSync = Pick<KnowledgeSyncEntity, 'id' | 'workspaceId' | 'knowledgeBaseId' | 'sourceId' | 'requestedBy'>;

/** If the source has an open sync, inserts nothing. The unique index also detects concurrent requests. */
const REQUEST = `insert into knowledge_syncs (id, workspace_id, knowledge_base_id, source_id, requested_by, due_at)
  values ($1, $2, $3, $4, $5, clock_timestamp()) on conflict (source_id) where ended_at is null do nothing returning id`;

const LATEST = `update knowledge_sources set last_sync_id = $3, status = case status when 'paused' then status else 'syncing' end
  where workspace_id = $1 and id = $2`;

/** A queued sync ends at once. The worker of a running sync stops at its next heartbeat. */
const CANCEL = `update knowledge_syncs set cancel_requested = true,
    status = case status when 'queued' then 'cancelled' else status end,
    ended_at = case status when 'queued' then clock_timestamp() end,
    due_at = case status when 'queued' then null else due_at end
  where workspace_id = $1 and source_id = $2 and id = $3 and ended_at is null returning status`;

/** The next write of the worker that runs the sync fails. */
const CANCEL_OPEN = `update knowledge_syncs set cancel_requested = true, status = 'cancelled', ended_at = clock_timestamp(), due_at = null,
    worker = null, attempt = attempt + 1
  where workspace_id = $1 and source_id = $2 and ended_at is null`;

const AFTER_CANCEL = `update knowledge_sources set status = case status when 'paused' then status else ${STATUS_BY_SYNCS} end
  where workspace_id = $1 and id = $2 and deleted_at is null`;

const CONFIRM = `update knowledge_syncs set deletions_confirmed_by = $3, deletions_confirmed_at = clock_timestamp(), deleted = deleted + $4,
    error = case when error ->> 'code' = 'deletions_held' then null else error end
  where workspace_id = $1 and id = $2 and deletions_confirmed_at is null and held_deletions is not null`;

const AFTER_CONFIRM = `update knowledge_sources set error = null
  where workspace_id = $1 and id = $2 and error ->> 'code' = 'deletions_held'`;

/**
 * A sync that has started may have read a part of the source already, even if it is queued again and waits for another
 * worker.
 */
const FOLLOW_UP = `update knowledge_syncs set follow_up = true
  where workspace_id = $1 and source_id = $2 and id = $3 and started_at is not null and ended_at is null`;

@Injectable()
export class KnowledgeSyncRepository {
  constructor(@InjectRepository(KnowledgeSyncEntity) private readonly table: Repository<KnowledgeSyncEntity>) {}

  find(workspaceId: string, sourceId: string, id: string): Promise<KnowledgeSyncEntity | null> {
    return orUnavailable(this.table.findOneBy({ workspaceId, sourceId, id }));
  }

  async byIds(workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, KnowledgeSyncEntity>> {
    const found = await orUnavailable(this.table.findBy({ workspaceId, id: In([...ids]) }));
    return new Map(found.map((sync) => [sync.id, sync]));
  }

  readPage(workspaceId: string, sourceId: string, page: PageRequest): Promise<Page<KnowledgeSyncEntity>> {
    return findPage(this.table, { workspaceId, sourceId }, page);
  }

  /** The caller must hold the lock of the source. */
  async request(sync: NewSync, { manager }: Transaction): Promise<{ id: string; isNew: boolean }> {
    const { id, workspaceId, knowledgeBaseId, sourceId, requestedBy } = sync;
    const values = [id, workspaceId, knowledgeBaseId, sourceId, requestedBy];
    const [made] = await manager.query<{ id: string }[]>(REQUEST, values);
    if (made) {
      await manager.query(LATEST, [workspaceId, sourceId, id]);
      return { id, isNew: true };
    }
    const open = await manager.query<{ id: string }[]>(
      'select id from knowledge_syncs where workspace_id = $1 and source_id = $2 and ended_at is null',
      [workspaceId, sourceId],
    );
    return { id: open[0]?.id ?? id, isNew: false };
  }

  /**
   * Does nothing for a sync that has not started, because it will read everything. The caller must hold the lock of the
   * source.
   */
  async followUp(workspaceId: string, sourceId: string, id: string, { manager }: Transaction): Promise<void> {
    await manager.query(FOLLOW_UP, [workspaceId, sourceId, id]);
  }

  /** Returns false if it has already ended. The caller must hold the lock of the source. */
  async cancel(workspaceId: string, sourceId: string, id: string, { manager }: Transaction): Promise<boolean> {
    const [rows] = await manager.query<[{ status: string }[], number]>(CANCEL, [workspaceId, sourceId, id]);
    if (rows[0]?.status === 'cancelled') await manager.query(AFTER_CANCEL, [workspaceId, sourceId]);
    return rows.length === 1;
  }

  async cancelOpen(workspaceId: string, sourceId: string, { manager }: Transaction): Promise<void> {
    await manager.query(CANCEL_OPEN, [workspaceId, sourceId]);
  }

  /**
   * Clears the error that asks for the confirmation, of the sync and of the source. The caller must hold the lock of
   * the source.
   */
  async confirm(sync: KnowledgeSyncEntity, by: string, deleted: number, { manager }: Transaction): Promise<void> {
    await manager.query(CONFIRM, [sync.workspaceId, sync.id, by, deleted]);
    await manager.query(AFTER_CONFIRM, [sync.workspaceId, sync.sourceId]);
  }
}
