import type { aas } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import { wordOptions } from '../data/words.js';

export type ApprovalQuery = NonNullable<Parameters<typeof aas.approvals.list>[0]>;

/** Options of the status filter: first the open approvals, then the statuses of closed approvals. */
export const SHOWN = [
  { value: 'mine', label: 'Open, for me' },
  { value: 'open', label: 'Open, all' },
  ...wordOptions('status', ['approved', 'rejected', 'answered', 'expired', 'cancelled']),
];

export const ANY_MODE = 'any';

/** Returns the selected option: `mine`, or the value of `status` in the page URL. */
export function shownOf(search: Search): string {
  const status = one(search.status);
  return search.mine === 'true' || status === undefined || status === '' ? 'mine' : status;
}

/** Returns the selected mode. Test runs wait for approvals too, but nobody has to decide about them. */
export function modeOf(search: Search): string {
  return one(search.mode) || 'production';
}

/**
 * Converts the query of the page URL to a query of the API. The API validates the values. Open approvals are sorted by
 * deadline, earliest first.
 */
export function approvalQuery(search: Search): ApprovalQuery {
  const shown = shownOf(search);
  const [agent, mode] = [one(search.agent), modeOf(search)];
  const isOpen = shown === 'mine' || shown === 'open';
  return {
    ...(shown === 'mine' ? { mine: true } : { status: shown.split(',') as ApprovalQuery['status'] }),
    ...(agent !== undefined && { agent }),
    ...(mode !== ANY_MODE && { mode: mode as NonNullable<ApprovalQuery['mode']> }),
    ...(isOpen && { sort: 'expires_at', order: 'asc' }),
  };
}
