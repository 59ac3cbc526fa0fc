import { type Transaction, Transactions } from '@app/platform/database';
import { EventOutbox } from '@app/events';
import { Injectable } from '@nestjs/common';
import { KnowledgeBasesService } from '../bases/knowledge-bases.service.js';
import { DocumentIndexService } from '../documents/document-index.service.js';
import { type ClaimedSync, NO_PROGRESS } from './claimed-sync.js';
import { decideDeletions } from './deletion-guard.js';
import { SyncStore, type SyncOutcome } from './sync.store.js';
import { SyncOutcomes } from './sync-outcomes.repository.js';
import type { SyncError } from '../sources/store/source-status.js';

/** How a visit that has been through its source went. */
export interface CompletedVisit {
  /** Why it has not seen everything; then nothing is deleted. */
  flaw: SyncError | null;
  /** Why something of what it has brought comes later; it has been brought all the same. */
  delay: SyncError | null;
  isAuthoritative: boolean;
}

/** Ends syncs: what becomes of documents that are gone, of the source, and who is told. */
@Injectable()
export class SyncOutcomeService {
  constructor(
    private readonly transactions: Transactions,
    private readonly journal: SyncStore,
    private readonly index: DocumentIndexService,
    private readonly outcomes: SyncOutcomes,
    private readonly bases: KnowledgeBasesService,
    private readonly events: EventOutbox,
  ) {}

  /**
   * Ends the sync, unless something has come that the visit may have passed: false, and the visit has to continue.
   * @throws SyncLost
   */
  async complete(sync: ClaimedSync, visit: CompletedVisit): Promise<boolean> {
    const end = await this.endOf(sync, visit);
    return this.transactions.run(async (transaction) => {
      await this.outcomes.lock(sync, transaction);
      if (await this.journal.takeFollowUp(sync, transaction)) return false;
      await this.end(sync, end, transaction);
      return true;
    });
  }

  /** How a visit ends; deletes what is gone. */
  private async endOf(sync: ClaimedSync, { flaw, delay, isAuthoritative }: CompletedVisit): Promise<SyncOutcome> {
    const { seen, failed } = await this.journal.recordProgress(sync, NO_PROGRESS);
    if (failed > 0 && failed === seen) return failure(await this.journal.firstFailure(sync));
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
        await this.journal.recordProgress(sync, { ...NO_PROGRESS, deleted }, transaction);
      });
    }
    const status = failed > 0 || delay ? 'completed_with_errors' : 'succeeded';
    return { status, error: delay, heldDeletions: null };
  }

  /** What was indexed stays. @throws SyncLost */
  fail(sync: ClaimedSync, error: SyncError): Promise<void> {
    return this.endNow(sync, failure(error));
  }

  /** What it has brought stays. @throws SyncLost */
  cancel(sync: ClaimedSync): Promise<void> {
    return this.endNow(sync, { status: 'cancelled', error: null, heldDeletions: null });
  }

  private endNow(sync: ClaimedSync, end: SyncOutcome): Promise<void> {
    return this.transactions.run(async (transaction) => {
      await this.outcomes.lock(sync, transaction);
      await this.end(sync, end, transaction);
    });
  }

  private async end(sync: ClaimedSync, end: SyncOutcome, transaction: Transaction): Promise<void> {
    const { endedAt, isFollowed, total, ...counts } = await this.journal.endSync(sync, end, transaction);
    await this.outcomes.apply(sync, end, endedAt, transaction);
    if (isFollowed) await this.outcomes.follow(sync, transaction);
    if (end.status !== 'cancelled')
      await this.tell(sync, end, total === null ? counts : { ...counts, total }, transaction);
  }

  private async tell(sync: ClaimedSync, end: SyncOutcome, progress: object, transaction: Transaction): Promise<void> {
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
    await this.events.record(workspaceId, { type, data }, transaction);
  }
}

function failure(error: SyncError): SyncOutcome {
  return { status: 'failed', error, heldDeletions: null };
}

function nothingFound(total: number): SyncError {
  const message = `The source gave no document at all, although ${total} of it are indexed. They stay: look at the source, and delete it here if it is meant to be empty.`;
  return { code: 'empty_enumeration', message };
}

function deletionsHeld({ unseen, total }: { unseen: number; total: number }): SyncError {
  const message = `${unseen} of ${total} documents are gone from the source, more than deletion_guard.max_ratio allows. They stay until somebody confirms: POST …/confirm-deletions.`;
  return { code: 'deletions_held', message };
}
