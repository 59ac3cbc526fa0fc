import type { aas } from '../data/api.js';
import type { Search } from '../data/search.js';
import { RUN_STATUSES, runQuery, valuesOf } from './run-filters.js';

type BulkBody = Parameters<typeof aas.bulkActions.create>[0];
type RunsFilter = NonNullable<BulkBody['filter']>;

export type BulkActionName = BulkBody['action'];
export type ReplayMode = NonNullable<BulkBody['mode']>;

/** The runs of a bulk action: the selected ids, or all runs that match the filters of the page URL. */
export type BulkRuns = { ids: readonly string[] } | { search: Search };

/** Maximum number of ids that the API accepts in a bulk action. */
export const MAX_CHOSEN = 1_000;

type RunStatus = (typeof RUN_STATUSES)[number];

const OPEN: ReadonlySet<string> = new Set<RunStatus>(['queued', 'running', 'waiting_approval']);

/** Returns the statuses of runs to which the action can be applied. */
function possibleStatuses(action: BulkActionName): readonly RunStatus[] {
  return RUN_STATUSES.filter((status) => OPEN.has(status) === (action === 'cancel'));
}

/**
 * Returns the statuses that match the filters and allow the action. The bulk action must not select runs in other
 * statuses: they would be rejected, but would count towards its limit.
 */
export function actionStatuses(action: BulkActionName, search: Search): readonly RunStatus[] {
  const chosen = valuesOf(search, 'status');
  return possibleStatuses(action).filter((status) => chosen.length === 0 || chosen.includes(status));
}

/** Converts the filters of the page URL to the filter of a bulk action. */
export function bulkFilter(action: BulkActionName, search: Search): RunsFilter {
  // The sort order is not a filter.
  const { order: _order, ...query } = runQuery(search);
  const lists = ['label', 'id'].filter((name) => name in query);
  const filter: Record<string, unknown> = {
    ...query,
    ...Object.fromEntries(lists.map((name) => [name, valuesOf(search, name)])),
    ...('version' in query && { version: Number(query.version) }),
    status: actionStatuses(action, search),
  };
  // The API checks the values.
  return filter;
}

export interface BulkOptions {
  /** Maximum number of runs to select. Used only if the runs are selected by filters. */
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
