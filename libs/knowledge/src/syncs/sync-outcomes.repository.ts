import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { STATUS_BY_SYNCS } from '../sources/store/source-status.js';
import type { ClaimedSync } from './claimed-sync.js';
import { SourceSyncsService } from './source-syncs.service.js';
import type { SyncOutcome } from './sync.store.js';

const LOCK = 'select 1 from knowledge_sources where workspace_id = $1 and id = $2 for no key update';

/** A paused source stays paused; one that is being deleted is left alone. */
const SOURCE = `update knowledge_sources set error = $4,
    status = case when status = 'paused' then status when $3 = 'failed' then 'error' else 'active' end
  where workspace_id = $1 and id = $2 and deleted_at is null`;

/** A cancelled sync says nothing about the source. */
const AFTER_CANCEL = `update knowledge_sources set
    status = case when status = 'paused' then status else ${STATUS_BY_SYNCS} end
  where workspace_id = $1 and id = $2 and deleted_at is null`;

const BASE = 'update knowledge_bases set last_synced_at = $3 where workspace_id = $1 and id = $2';

/** What the end of a sync means for its source and base. */
@Injectable()
export class SyncOutcomes {
  constructor(private readonly syncs: SourceSyncsService) {}

  /** Source before sync, always: whoever cancels or deletes has the source's lock first. */
  async lock({ workspaceId, sourceId }: ClaimedSync, { manager }: Transaction): Promise<void> {
    await manager.query(LOCK, [workspaceId, sourceId]);
  }

  /** Something has come in the meantime that this sync may have passed. */
  async follow(
    { workspaceId, knowledgeBaseId, sourceId, requestedBy }: ClaimedSync,
    transaction: Transaction,
  ): Promise<void> {
    await this.syncs.begin({ workspaceId, knowledgeBaseId, id: sourceId }, requestedBy, transaction);
  }

  async apply(
    { workspaceId, sourceId, knowledgeBaseId }: ClaimedSync,
    { status, error }: SyncOutcome,
    endedAt: Date,
    { manager }: Transaction,
  ): Promise<void> {
    if (status === 'cancelled') {
      await manager.query(AFTER_CANCEL, [workspaceId, sourceId]);
      return;
    }
    await manager.query(SOURCE, [workspaceId, sourceId, status, error && JSON.stringify(error)]);
    if (status !== 'failed') await manager.query(BASE, [workspaceId, knowledgeBaseId, endedAt]);
  }
}
