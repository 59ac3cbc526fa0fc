import { Injectable } from '@nestjs/common';
import { DomainError, type JsonObject, notFound } from '@app/kernel';
import { Cursors, SnapshotsService } from '@app/platform/database';
import {
  type AcceptedBulkAction,
  type BulkActionKind,
  BulkActionsService,
  type BulkOrder,
  RunAgentsService,
} from '@app/runs';
import { agentsOf, type OnceOnly, type Principal, type Scope } from '@app/workspace';
import { requireScope } from '../http/access.js';
import { ListPagesService } from '../http/list-pages.service.js';
import type { ClaimOf } from '../http/request-decorators.js';
import { validateRequest } from '../http/request-validation.js';
import { cursorFilters, runFilter, RunsFilter } from '../runs/run-filters.api.js';
import {
  type BulkActionQuery,
  type BulkActionResource,
  type CreateBulkActionBody,
  presentResult,
} from './bulk-actions.api.js';

const SCOPE_OF: Readonly<Record<BulkActionKind, Scope>> = { cancel: 'runs:cancel', replay: 'agents:run' };

/** Maximum number of results in the response that accepts a bulk action. */
const FIRST_RESULTS = 25;

@Injectable()
export class BulkActionRequestsService {
  constructor(
    private readonly actions: BulkActionsService,
    private readonly runAgents: RunAgentsService,
    private readonly pages: ListPagesService,
    private readonly cursors: Cursors,
    private readonly snapshots: SnapshotsService,
  ) {}

  /**
   * @throws DomainError `not_found` (a run of an agent that does not exist for the key), `invalid_request`, the errors of {@link requireScope}, and the errors of
   * {@link BulkActionsService.accept}
   */
  async accept(
    principal: Principal,
    body: CreateBulkActionBody,
    claimOf: ClaimOf,
  ): Promise<OnceOnly<BulkActionResource>> {
    requireScope(principal, SCOPE_OF[body.action]);
    const agents = agentsOf(principal);
    await this.assertSeen(principal, body.ids ?? [], agents);
    const { order, content } = orderOf(body, agents);
    return this.actions.accept(principal, order, claimOf(content), (accepted) =>
      this.present(principal.workspaceId, accepted),
    );
  }

  /**
   * Reads the bulk action and a page of its results from one snapshot.
   * @throws DomainError `not_found`, and the errors of {@link ListPagesService.answer}
   */
  get({ workspaceId }: Principal, id: string, { limit, cursor }: BulkActionQuery): Promise<BulkActionResource> {
    return this.snapshots.read(async () => {
      const { action, status, total, succeeded, failed } = await this.actions.get(workspaceId, id);
      const { data: results, ...rest } = await this.pages.answer(
        { limit, order: 'desc', ...(cursor !== undefined && { cursor }) },
        {
          list: listOf(id),
          workspaceId,
          read: (page) => this.actions.results(workspaceId, id, page),
          present: presentResult,
        },
      );
      return { id, action, status, counts: { total, succeeded, failed }, ...rest, results };
    });
  }

  private async assertSeen(
    { workspaceId }: Principal,
    ids: readonly string[],
    agents: readonly string[] | null,
  ): Promise<void> {
    const foreign = agents && (await this.runAgents.runOfOtherAgent(workspaceId, ids, agents));
    if (foreign) throw notFound('run', foreign);
  }

  /** Returns the response body for a new bulk action, with the first page of its results. All results are pending. */
  private present(workspaceId: string, { id, action, runs }: AcceptedBulkAction): BulkActionResource {
    const first = runs.slice(0, FIRST_RESULTS);
    const last = runs.length > FIRST_RESULTS ? first.at(-1) : undefined;
    const identity = { list: listOf(id), workspaceId, order: 'desc', filters: {} } as const;
    return {
      id,
      action,
      status: runs.length === 0 ? 'completed' : 'queued',
      counts: { total: runs.length, succeeded: 0, failed: 0 },
      ...(last !== undefined && { next_cursor: this.cursors.encode(identity, last) }),
      results: first.map((runId) => presentResult({ runId, status: 'pending', code: null, replayId: null })),
    };
  }
}

const listOf = (id: string): string => `bulk-actions/${id}`;

/**
 * Reads the body of the request. `content` must be equal in all requests with the same idempotency key. It contains
 * defaults for omitted fields, so that omitting a field equals sending its default value.
 */
function orderOf(
  { action, ids, filter, limit, mode }: CreateBulkActionBody,
  agents: readonly string[] | null,
): {
  order: BulkOrder;
  content: JsonObject;
} {
  if (action === 'cancel' && mode !== undefined)
    throw invalid('/mode', '`mode` is allowed only for the action `replay`. Omit it.');
  if (ids !== undefined && filter !== undefined)
    throw invalid('/filter', 'The body contains both `ids` and `filter`. Send only one of them.');
  const base = { action, limit, ...(action === 'replay' && { mode: mode ?? ('test' as const) }) };
  if (ids !== undefined)
    return { order: { ...base, selection: { ids }, described: { ids: ids.length } }, content: { ...base, ids } };
  if (filter === undefined) throw invalid('', 'Send the ids of the runs as `ids`, or a `filter` that matches them.');
  const read = validateRequest(RunsFilter, filter, { member: '/filter' });
  const content = cursorFilters(read);
  const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null));
  return {
    order: {
      ...base,
      selection: { filter: { ...runFilter(read), ...(agents && { agents }) } },
      described: { filter: given },
    },
    content: { ...base, filter: content },
  };
}

function invalid(pointer: string, detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [{ pointer, detail }] });
}
