import { DomainError, isId, type JsonObject, newId, notFound, type Page, type PageRequest } from '@app/kernel';
import { SnapshotsService, withoutTenantRole } from '@app/platform/database';
import {
  AuditLogService,
  type IdempotencyClaim,
  IdempotencyStore,
  type OnceOnly,
  type Principal,
} from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { comparesJson, type RunFilter } from '../read/list-filters.js';
import { RunsRepository } from '../read/runs.repository.js';
import type { RunMode } from '../records/run-status.js';
import { modeOf } from '../start/run-intake.service.js';
import type { BulkActionEntity } from './bulk-action.entity.js';
import type { BulkActionResultEntity } from './bulk-action-result.entity.js';
import type { BulkActionKind } from './bulk-action-status.js';
import { BulkActionStore, MAX_OPEN } from './bulk-action.store.js';

const SELECTED_AT_ONCE = 1_000;

export type BulkSelection = { ids: readonly string[] } | { filter: RunFilter };

export interface BulkOrder {
  action: BulkActionKind;
  mode?: RunMode | undefined;
  selection: BulkSelection;
  /** If more runs match, the newest are selected. */
  limit: number;
  described: JsonObject;
}

export interface AcceptedBulkAction {
  id: string;
  action: BulkActionKind;
  /** None has a result yet. */
  runs: readonly string[];
}

@Injectable()
export class BulkActionsService {
  constructor(
    private readonly store: BulkActionStore,
    private readonly runs: RunsRepository,
    private readonly snapshots: SnapshotsService,
    private readonly requests: IdempotencyStore,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * Runs that match the filter later are not included. The selection reads the ids page by page through the indexes of
   * the list of runs, so its cost depends only on `limit`.
   * @throws DomainError `test_key_production_mode`, `rate_limited` (too many open bulk actions), and the errors of
   * {@link IdempotencyStore.runOnce}
   */
  async accept<T>(
    principal: Pick<Principal, 'workspaceId' | 'email' | 'kind'>,
    order: BulkOrder,
    claim: IdempotencyClaim | undefined,
    answer: (accepted: AcceptedBulkAction) => T,
  ): Promise<OnceOnly<T>> {
    const { workspaceId, email, kind } = principal;
    const { action, described } = order;
    const asked = order.mode ?? 'test';
    const mode = action === 'replay' ? modeOf({ initiator: { email, keyKind: kind }, mode: asked }) : null;
    const runs = await this.select(workspaceId, order);
    return this.requests.runOnce(workspaceId, claim, async (transaction) => {
      const id = newId('bulkAction');
      const created = await this.store.accept(transaction, { id, workspaceId, action, mode, actor: email }, runs);
      if (!created) throw tooManyOpen();
      const detail = { action, ...(mode !== null && { mode }), ...described, total: runs.length };
      await this.audit.record(principal, { action: 'bulk_action.create', target: id, detail }, transaction);
      return answer({ id, action, runs });
    });
  }

  /** @throws DomainError `not_found`, also for a malformed id and for a bulk action of another workspace */
  async get(workspaceId: string, id: string): Promise<BulkActionEntity> {
    const found = isId('bulkAction', id) ? await this.store.find(workspaceId, id) : null;
    if (!found) throw notFound('bulk action', id);
    return found;
  }

  results(workspaceId: string, id: string, page: PageRequest): Promise<Page<BulkActionResultEntity>> {
    return this.store.pageOfResults(workspaceId, id, page);
  }

  private async select(workspaceId: string, { selection, limit }: BulkOrder): Promise<string[]> {
    if ('ids' in selection) return [...new Set(selection.ids)].sort().reverse().slice(0, limit);
    const { filter } = selection;
    const read = () => this.snapshots.read(() => this.matching(workspaceId, filter, limit));
    return comparesJson(filter) ? withoutTenantRole(read) : read();
  }

  private async matching(workspaceId: string, filter: RunFilter, limit: number): Promise<string[]> {
    const found: string[] = [];
    for (;;) {
      const after = found.at(-1);
      const size = Math.min(SELECTED_AT_ONCE, limit - found.length);
      const page = { limit: size, order: 'desc' as const, ...(after !== undefined && { after }) };
      const ids = await this.runs.idsOfPage(workspaceId, filter, page);
      found.push(...ids.slice(0, size));
      if (ids.length <= size || found.length === limit) return found;
    }
  }
}

function tooManyOpen(): DomainError {
  const detail = `The workspace has ${MAX_OPEN} bulk actions that are not completed, which is the maximum. Try again when one of them is completed.`;
  return new DomainError('rate_limited', detail, { retryAfterSeconds: 10 });
}
