import { DomainError, isId, newId, notFound, type Page, type PageRequest } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import { CronTimes } from '@app/platform/periodic';
import { JobQueueService } from '@app/platform/queue';
import {
  type AuditEntry,
  AuditLogService,
  type IdempotencyClaim,
  IdempotencyStore,
  type Principal,
} from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { DocumentIndexService } from '../documents/document-index.service.js';
import {
  type DueSource,
  KnowledgeSourceRepository,
  type SourcePlace,
} from '../sources/store/knowledge-source.repository.js';
import { nextSyncAt } from '../sources/store/sync-schedule.js';
import type { KnowledgeSyncEntity } from './knowledge-sync.entity.js';
import { KnowledgeSyncRepository } from './knowledge-sync.repository.js';
import { syncSource } from './sync.jobs.js';

export interface SyncPlace extends SourcePlace {
  syncId: string;
}

export interface RequestedSync {
  sync: KnowledgeSyncEntity;
  isNew: boolean;
  replayed: boolean;
}

const DUE_BATCH = 50;

@Injectable()
export class SourceSyncsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly sources: KnowledgeSourceRepository,
    private readonly syncs: KnowledgeSyncRepository,
    private readonly index: DocumentIndexService,
    private readonly audit: AuditLogService,
    private readonly queue: JobQueueService,
    private readonly times: CronTimes,
  ) {}

  /**
   * With an idempotency claim, a repeated request returns the sync of the first request in its current state.
   * @throws DomainError `not_found`, and the errors of {@link IdempotencyStore.runOnce}
   */
  async request(actor: Principal, place: SourcePlace, claim?: IdempotencyClaim): Promise<RequestedSync> {
    const { result, replayed } = await this.requests.runOnce(place.workspaceId, claim, async (transaction) => {
      if (!(await this.sources.lock(place, transaction))) throw notFound('source', place.id);
      const requested = await this.begin(place, actor.email, transaction);
      const entry: AuditEntry = { action: 'source.sync', target: place.id, detail: { sync: requested.id } };
      if (requested.isNew) await this.audit.record(actor, entry, transaction);
      return requested;
    });
    return { sync: await this.get({ ...place, syncId: result.id }), isNew: result.isNew, replayed };
  }

  /**
   * Requests only one sync for each source, even if several of its due times have passed, for example while no worker
   * ran.
   */
  async requestDue(): Promise<void> {
    for (const due of await this.sources.findDue(DUE_BATCH)) await this.requestScheduled(due);
  }

  async begin(
    place: SourcePlace,
    requestedBy: string | null,
    transaction: Transaction,
  ): Promise<{ id: string; isNew: boolean }> {
    const { workspaceId, knowledgeBaseId, id: sourceId } = place;
    const sync = { id: newId('sync'), workspaceId, knowledgeBaseId, sourceId, requestedBy };
    const requested = await this.syncs.request(sync, transaction);
    transaction.afterCommit(() => this.queue.enqueue(syncSource, { syncId: requested.id }));
    return requested;
  }

  /** An already open sync reads the documents that it may have missed before it ends. */
  async beginAfter(
    place: SourcePlace,
    requestedBy: string,
    transaction: Transaction,
  ): Promise<{ id: string; isNew: boolean }> {
    const requested = await this.begin(place, requestedBy, transaction);
    const { workspaceId, id } = place;
    if (!requested.isNew) await this.syncs.followUp(workspaceId, id, requested.id, transaction);
    return requested;
  }

  async list(workspaceId: string, sourceId: string, page: PageRequest): Promise<Page<KnowledgeSyncEntity>> {
    return this.syncs.readPage(workspaceId, sourceId, page);
  }

  byIds(workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, KnowledgeSyncEntity>> {
    return ids.length === 0 ? Promise.resolve(new Map()) : this.syncs.byIds(workspaceId, ids);
  }

  /** @throws DomainError `not_found` */
  async get({ workspaceId, id, syncId }: SyncPlace): Promise<KnowledgeSyncEntity> {
    const sync = isId('sync', syncId) ? await this.syncs.find(workspaceId, id, syncId) : null;
    if (!sync) throw notFound('sync', syncId);
    return sync;
  }

  /** Does not check that the base and the source still exist. */
  async getInBase(workspaceId: string, knowledgeBaseId: string, syncId: string): Promise<KnowledgeSyncEntity> {
    const sync = (await this.byIds(workspaceId, [syncId])).get(syncId);
    if (sync?.knowledgeBaseId !== knowledgeBaseId) throw notFound('sync', syncId);
    return sync;
  }

  /**
   * A queued sync ends at once; a running sync ends when its worker notices the cancellation. Indexed documents are
   * kept.
   * @throws DomainError `not_found`
   */
  async cancel(actor: Principal, place: SyncPlace): Promise<KnowledgeSyncEntity> {
    await this.transactions.run(async (transaction) => {
      if (!(await this.sources.lock(place, transaction))) throw notFound('source', place.id);
      if (!(await this.syncs.cancel(place.workspaceId, place.id, place.syncId, transaction))) return;
      const entry: AuditEntry = { action: 'sync.cancel', target: place.syncId, detail: { source: place.id } };
      await this.audit.record(actor, entry, transaction);
    });
    return this.get(place);
  }

  async confirmDeletions(actor: Principal, place: SyncPlace): Promise<KnowledgeSyncEntity> {
    const sync = await this.get(place);
    if (sync.deletionsConfirmedAt) return sync;
    if (sync.heldDeletions === null)
      throw new DomainError('precondition_failed', 'This sync has no deletions that wait for a confirmation.');
    await this.transactions.run(async (transaction) => {
      const source = await this.sources.lock(place, transaction);
      if (!source) throw notFound('source', place.id);
      if (source.lastSyncId !== sync.id) {
        const detail = `The source has a later sync, ${source.lastSyncId}. Only the deletions of the latest sync can be confirmed.`;
        throw new DomainError('precondition_failed', detail);
      }
      const { workspaceId, knowledgeBaseId, id: sourceId } = place;
      const scope = { workspaceId, knowledgeBaseId, sourceId, syncId: sync.id };
      const deleted = await this.index.removeUnseen(scope, transaction);
      await this.syncs.confirm(sync, actor.email, deleted, transaction);
      const entry: AuditEntry = {
        action: 'sync.confirm_deletions',
        target: sync.id,
        detail: { source: sourceId, deleted },
      };
      await this.audit.record(actor, entry, transaction);
    });
    return this.get(place);
  }

  private async requestScheduled(due: DueSource): Promise<void> {
    const next = nextSyncAt(due.schedule, due.now, this.times);
    await this.transactions.run(async (transaction) => {
      const { workspaceId, knowledgeBaseId, id } = due;
      if (!(await this.sources.lock({ workspaceId, knowledgeBaseId, id }, transaction))) return;
      if (!(await this.sources.advanceSchedule(due, next, transaction))) return;
      await this.begin(due, null, transaction);
    });
  }
}
