import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '@app/platform/database';
import { recordEvent } from '@app/events';
import { KnowledgeBasesService } from '../bases/knowledge-bases.service.js';
import { DocumentIndexService } from '../documents/document-index.service.js';
import { type ClaimedSync, NO_PROGRESS } from './claimed-sync.js';
import { SyncStore, type SyncOutcome } from './sync.store.js';
import { SourceSyncsService } from './source-syncs.service.js';
import type { SyncError } from '../sources/store/source-status.js';

export interface CompletedVisit {
  /** If set, no document is deleted. */
  flaw: SyncError | null;
  warning: SyncError | null;
  isAuthoritative: boolean;
}

@Injectable()
export class SyncOutcomeService {
  constructor(
    private readonly transactions: Transactions,
    private readonly store: SyncStore,
    private readonly index: DocumentIndexService,
    private readonly syncs: SourceSyncsService,
    private readonly bases: KnowledgeBasesService,
  ) {}

  /**
   * If pushed documents have arrived that the sync may have missed, returns false instead, and the caller must continue
   * the sync.
   * @throws SyncLost
   */
  async complete(sync: ClaimedSync, visit: CompletedVisit): Promise<boolean> {
    const end = await this.decideOutcome(sync, visit);
    return this.transactions.run(async (transaction) => {
      await this.store.lockSource(sync, transaction);
      if (await this.store.takeFollowUp(sync, transaction)) return false;
      await this.end(sync, end, transaction);
      return true;
    });
  }

  private async decideOutcome(
    sync: ClaimedSync,
    { flaw, warning, isAuthoritative }: CompletedVisit,
  ): Promise<SyncOutcome> {
    const { seen, failed } = await this.store.recordProgress(sync, NO_PROGRESS);
    if (failed > 0 && failed === seen) return failure(await this.store.firstFailure(sync));
    const error = flaw;
    if (flaw) return { status: 'completed_with_errors', error, heldDeletions: null };
    const scope = { ...sync, syncId: sync.id };
    const counts = await this.index.countUnseen(scope);
    const base = await this.bases.get(sync.workspaceId, sync.knowledgeBaseId);
    const found = counts.total - counts.unseen;
    const decision = isAuthoritative
      ? { kind: 'delete' as const }
      : decideDeletions(counts, found, base.settings.deletion_guard.max_ratio);
    if (decision.kind === 'refuse') return failure(nothingFound(counts.total));
    if (decision.kind === 'hold') {
      return { status: 'completed_with_errors', error: deletionsHeld(counts), heldDeletions: counts.unseen };
    }
    if (counts.unseen > 0) {
      await this.transactions.run(async (transaction) => {
        const deleted = await this.index.removeUnseen(scope, transaction);
        await this.store.recordProgress(sync, { ...NO_PROGRESS, deleted }, transaction);
      });
    }
    const status = failed > 0 || warning ? 'completed_with_errors' : 'succeeded';
    return { status, error: warning, heldDeletions: null };
  }

  /**
   * Indexed documents are kept.
   * @throws SyncLost
   */
  fail(sync: ClaimedSync, error: SyncError): Promise<void> {
    return this.endNow(sync, failure(error));
  }

  /**
   * Indexed documents are kept.
   * @throws SyncLost
   */
  cancel(sync: ClaimedSync): Promise<void> {
    return this.endNow(sync, { status: 'cancelled', error: null, heldDeletions: null });
  }

  private endNow(sync: ClaimedSync, end: SyncOutcome): Promise<void> {
    return this.transactions.run(async (transaction) => {
      await this.store.lockSource(sync, transaction);
      await this.end(sync, end, transaction);
    });
  }

  private async end(sync: ClaimedSync, end: SyncOutcome, transaction: Transaction): Promise<void> {
    const { endedAt, isFollowed, total, ...counts } = await this.store.endSync(sync, end, transaction);
    await this.store.applyOutcome(sync, end, endedAt, transaction);
    if (isFollowed) {
      const { workspaceId, knowledgeBaseId, sourceId: id, requestedBy } = sync;
      await this.syncs.begin({ workspaceId, knowledgeBaseId, id }, requestedBy, transaction);
    }
    if (end.status !== 'cancelled')
      await this.recordEvent(sync, end, total === null ? counts : { ...counts, total }, transaction);
  }

  private async recordEvent(
    sync: ClaimedSync,
    end: SyncOutcome,
    progress: object,
    transaction: Transaction,
  ): Promise<void> {
    const { workspaceId, knowledgeBaseId, sourceId, id } = sync;
    const type = end.status === 'failed' ? 'source.sync_failed' : 'source.sync_completed';
    const data = {
      knowledge_base: knowledgeBaseId,
      source: sourceId,
      sync: id,
      status: end.status,
      error: end.error,
      progress: { ...progress },
    };
    await recordEvent(workspaceId, { type, data }, transaction);
  }
}

function failure(error: SyncError): SyncOutcome {
  return { status: 'failed', error, heldDeletions: null };
}

function nothingFound(total: number): SyncError {
  const message = `The source returned no documents, although ${total} of its documents are indexed. The indexed documents are kept. Check the source. If the source is meant to be empty, delete it from this knowledge base.`;
  return { code: 'empty_enumeration', message };
}

function deletionsHeld({ unseen, total }: { unseen: number; total: number }): SyncError {
  const message = `${unseen} of ${total} documents are no longer in the source, which is more than deletion_guard.max_ratio allows. They are kept until a person confirms their deletion with POST …/confirm-deletions.`;
  return { code: 'deletions_held', message };
}

export type DeletionDecision = { kind: 'delete' } | { kind: 'hold' } | { kind: 'refuse' };

/**
 * `refuse`: the source returned nothing although documents are indexed, so the source is treated as faulty. `hold`: the
 * share `unseen` / `total` exceeds `maxRatio`, so a person must confirm the deletion.
 */
export function decideDeletions(
  { unseen, total }: { unseen: number; total: number },
  found: number,
  maxRatio: number,
): DeletionDecision {
  if (unseen === 0) return { kind: 'delete' };
  if (found === 0) return { kind: 'refuse' };
  return unseen > total * maxRatio ? { kind: 'hold' } : { kind: 'delete' };
}
