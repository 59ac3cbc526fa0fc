import type { JsonObject } from '@app/kernel';
import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { CrawledPagesRepository } from './crawled-pages.repository.js';
import {
  type ClaimedSync,
  type DocumentFailure,
  SyncLost,
  type SyncProgress,
  type SyncStatus,
} from './claimed-sync.js';
import { STATUS_BY_SYNCS, type SyncError } from '../sources/store/source-status.js';

const MAX_FAILURES = 100;

const MINE = `s.workspace_id = $1 and s.id = $2 and s.attempt = $3 and s.status = 'running'`;

const DUE = `knowledge_syncs y join workspaces w on w.id = y.workspace_id and w.state = 'active'
       where y.due_at <= statement_timestamp()`;

export const HAS_DUE_SYNC = `exists (select from ${DUE})`;

/** Two workers never claim the same sync. */
const CLAIM: Statement = {
  name: 'knowledge_syncs.claim',
  text: `update knowledge_syncs s set status = 'running', worker = $1, attempt = s.attempt + 1,
      due_at = clock_timestamp() + $2 * interval '1 millisecond', started_at = coalesce(s.started_at, clock_timestamp())
    from (select y.id from ${DUE} order by y.due_at limit $3 for update of y skip locked) due
   where s.id = due.id
  returning s.workspace_id as "workspaceId", s.knowledge_base_id as "knowledgeBaseId", s.source_id as "sourceId", s.id, s.attempt,
    s.checkpoint, s.requested_by as "requestedBy", s.started_at as "startedAt"`,
};
const RENEW_LEASES: Statement = {
  name: 'knowledge_syncs.renew_leases',
  text: `update knowledge_syncs s set due_at = clock_timestamp() + $2 * interval '1 millisecond'
    from workspaces w where w.id = s.workspace_id and s.worker = $1 and s.status = 'running'
  returning s.id, s.attempt, s.cancel_requested as "isCancelled", w.state = 'stopped' as "isStopped"`,
};
/**
 * Counts and visited pages are committed together. After a crash, a batch is therefore repeated as a whole or not at
 * all.
 */
const RECORD_PROGRESS: Statement = {
  name: 'knowledge_syncs.advance',
  text: `with mine as (update knowledge_syncs s set seen = s.seen + $4, added = s.added + $5, updated = s.updated + $6, unchanged = s.unchanged + $7,
      deleted = s.deleted + $8, failed = s.failed + jsonb_array_length($9::jsonb),
      failures = to_jsonb(array(select failure
        from jsonb_array_elements(s.failures || $9::jsonb) with ordinality as all_of (failure, n) order by n limit ${MAX_FAILURES})),
      total = coalesce($10, s.total), checkpoint = coalesce($11::jsonb, s.checkpoint),
      skipped = coalesce($13::jsonb, s.skipped)
    where ${MINE} returning s.id, s.seen, s.failed),
  visited as (update knowledge_crawl_pages p set visited = true from mine where p.sync_id = mine.id and p.url = any ($12::text[]))
  select seen, failed from mine`,
};
const RELEASE: Statement = {
  name: 'knowledge_syncs.release',
  text: `update knowledge_syncs s set status = 'queued', worker = null, due_at = clock_timestamp() + $4 * interval '1 millisecond' where ${MINE}`,
};
const FIRST_FAILURE: Statement = {
  name: 'knowledge_syncs.first_failure',
  text: `select s.failures -> 0 ->> 'code' as code, s.failures -> 0 ->> 'key' as key, s.failures -> 0 ->> 'message' as message
    from knowledge_syncs s where ${MINE}`,
};
const TAKE_FOLLOW_UP = `update knowledge_syncs s set follow_up = false where ${MINE} and s.follow_up returning 1`;
const END = `update knowledge_syncs s set status = $4, error = $5, held_deletions = $6, checkpoint = null, worker = null, due_at = null,
    ended_at = clock_timestamp() where ${MINE}
  returning s.seen, s.added, s.updated, s.unchanged, s.deleted, s.failed, s.total, s.ended_at as "endedAt", s.follow_up as "isFollowed"`;

const LOCK_SOURCE = 'select 1 from knowledge_sources where workspace_id = $1 and id = $2 for no key update';

/** A paused source stays paused, and a deleted source is not changed. */
const UPDATE_SOURCE = `update knowledge_sources set error = $4,
    status = case when status = 'paused' then status when $3 = 'failed' then 'error' else 'active' end
  where workspace_id = $1 and id = $2 and deleted_at is null`;

const AFTER_CANCEL = `update knowledge_sources set
    status = case when status = 'paused' then status else ${STATUS_BY_SYNCS} end
  where workspace_id = $1 and id = $2 and deleted_at is null`;

const UPDATE_BASE = 'update knowledge_bases set last_synced_at = $3 where workspace_id = $1 and id = $2';

export interface SyncOutcome {
  status: Exclude<SyncStatus, 'queued' | 'running'>;
  error: SyncError | null;
  heldDeletions: number | null;
}

export type SyncCounts = Record<'seen' | 'added' | 'updated' | 'unchanged' | 'deleted' | 'failed', number>;

export interface EndedSync extends SyncCounts {
  total: number | null;
  endedAt: Date;
  isFollowed: boolean;
}

type AdvancedSync = Pick<SyncCounts, 'seen' | 'failed'>;

export interface RenewedSync {
  id: string;
  attempt: number;
  isCancelled: boolean;
  isStopped: boolean;
}

/** Each write checks the attempt and changes nothing if another worker has claimed the sync. */
@Injectable()
export class SyncStore {
  constructor(private readonly statements: Statements) {}

  claimSyncs(worker: string, leaseMillis: number, limit: number): Promise<ClaimedSync[]> {
    return this.statements.query<ClaimedSync>(CLAIM, [worker, leaseMillis, limit]);
  }

  /** A sync that is not returned has ended or belongs to another worker. */
  renewLeases(worker: string, leaseMillis: number): Promise<RenewedSync[]> {
    return this.statements.query<RenewedSync>(RENEW_LEASES, [worker, leaseMillis]);
  }

  /**
   * `inside` is the transaction that writes the counted documents.
   * @throws SyncLost
   */
  async recordProgress(sync: ClaimedSync, advance: SyncProgress, inside?: Transaction): Promise<AdvancedSync> {
    const {
      seen,
      added,
      updated,
      unchanged,
      deleted,
      failures,
      total = null,
      checkpoint,
      visited = [],
      skipped,
    } = advance;
    const counts = [seen, added, updated, unchanged, deleted];
    const values = [
      ...mine(sync),
      ...counts,
      JSON.stringify(failures),
      total,
      json(checkpoint),
      visited,
      json(skipped),
    ];
    const [row] = inside
      ? await inside.manager.query<AdvancedSync[]>(RECORD_PROGRESS.text, values)
      : await this.statements.query<AdvancedSync>(RECORD_PROGRESS, values);
    return row ?? lost(sync);
  }

  async firstFailure(sync: ClaimedSync): Promise<SyncError> {
    const [first] = await this.statements.query<DocumentFailure>(FIRST_FAILURE, mine(sync));
    if (!first) return lost(sync);
    return {
      code: first.code,
      message: `No document could be read. The first failure was at ${first.key}: ${first.message}`,
    };
  }

  async release(sync: ClaimedSync, delayMillis: number): Promise<void> {
    await this.statements.query(RELEASE, [...mine(sync), delayMillis]);
  }

  /** The caller must hold the lock of the source. */
  async takeFollowUp(sync: ClaimedSync, { manager }: Transaction): Promise<boolean> {
    const [rows] = await manager.query<[unknown[], number]>(TAKE_FOLLOW_UP, mine(sync));
    return rows.length > 0;
  }

  /** @throws SyncLost */
  async endSync(sync: ClaimedSync, end: SyncOutcome, { manager }: Transaction): Promise<EndedSync> {
    const values = [...mine(sync), end.status, json(end.error), end.heldDeletions];
    const [rows] = await manager.query<[EndedSync[], number]>(END, values);
    await manager.query('delete from knowledge_crawl_pages where sync_id = $1', [sync.id]);
    return rows[0] ?? lost(sync);
  }

  /** Lock order: first the source, then the sync. */
  async lockSource({ workspaceId, sourceId }: ClaimedSync, { manager }: Transaction): Promise<void> {
    await manager.query(LOCK_SOURCE, [workspaceId, sourceId]);
  }

  /** The caller must hold the lock of the source. */
  async applyOutcome(
    { workspaceId, sourceId, knowledgeBaseId }: ClaimedSync,
    { status, error }: SyncOutcome,
    endedAt: Date,
    { manager }: Transaction,
  ): Promise<void> {
    if (status === 'cancelled') {
      await manager.query(AFTER_CANCEL, [workspaceId, sourceId]);
      return;
    }
    await manager.query(UPDATE_SOURCE, [workspaceId, sourceId, status, error && JSON.stringify(error)]);
    if (status !== 'failed') await manager.query(UPDATE_BASE, [workspaceId, knowledgeBaseId, endedAt]);
  }

  crawledPagesOf(sync: ClaimedSync): CrawledPagesRepository {
    return new CrawledPagesRepository(this.statements, sync);
  }
}

function mine({ workspaceId, id, attempt }: ClaimedSync): unknown[] {
  return [workspaceId, id, attempt];
}

function json(value: JsonObject | null | undefined): string | null {
  return value ? JSON.stringify(value) : null;
}

function lost(sync: ClaimedSync): never {
  throw new SyncLost(`The sync ${sync.id} is no longer claimed by this worker.`);
}
