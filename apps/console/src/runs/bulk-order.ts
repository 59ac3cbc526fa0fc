import type { aas } from '../data/api.js';
import type { Search } from '../data/search.js';
import { RUN_STATUSES, runQuery, valuesOf } from './run-filters.js';

type BulkBody = Parameters<typeof aas.bulkActions.create>[0];
type RunsFilter = NonNullable<BulkBody['filter']>;

export type BulkActionName = BulkBody['action'];
export type ReplayMode = NonNullable<BulkBody['mode']>;

/** The runs of a bulk action: the chosen ones, or all that match the filters of the address. */
export type BulkRuns = { ids: readonly string[] } | { search: Search };

/** Most ids that one bulk action takes. */
export const MOST_CHOSEN = 1_000;

type RunStatus = (typeof RUN_STATUSES)[number];

const OPEN: ReadonlySet<string> = new Set<RunStatus>(['queued', 'running', 'waiting_approval']);

/** Statuses of runs that can be cancelled or replayed. */
function possibleStatuses(action: BulkActionName): readonly RunStatus[] {
  return RUN_STATUSES.filter((status) => OPEN.has(status) === (action === 'cancel'));
}

/**
 * The statuses that the filters let through and that allow the action. Without this choice, the limit of a bulk action
 * would count runs for which it can only be refused.
 */
export function actionStatuses(action: BulkActionName, search: Search): readonly RunStatus[] {
  const chosen = valuesOf(search, 'status');
  return possibleStatuses(action).filter((status) => chosen.length === 0 || chosen.includes(status));
}

/** The filters of the address as the body of a bulk action has them. */
export function bulkFilter(action: BulkActionName, search: Search): RunsFilter {
  // What chooses the page and the order of the list chooses no runs.
  const { order: _order, ...query } = runQuery(search);
  const lists = ['label', 'id'].filter((name) => name in query);
  const filter: Record<string, unknown> = {
    ...query,
    ...Object.fromEntries(lists.map((name) => [name, valuesOf(search, name)])),
    ...('version' in query && { version: Number(query.version) }),
    status: actionStatuses(action, search),
  };
  // The API checks the values, as it does in the list.
  return filter;
}

export interface BulkOptions {
  /** Number of runs to select at most; only for filters. */
  limit: number;
  mode: ReplayMode;
}

export function bulkBody(action: BulkActionName, runs: BulkRuns, { limit, mode }: BulkOptions): BulkBody {
  return {
    action,
    ...(action === 'replay' && { mode }),
    ...('ids' in runs ? { ids: [...runs.ids] } : { filter: bulkFilter(action, runs.search), limit }),
  };
}
