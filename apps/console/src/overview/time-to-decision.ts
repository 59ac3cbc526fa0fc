import type { Approval } from '../data/api.js';

type Decided = Pick<Approval, 'opened_at' | 'decided_at'>;

/** Returns the median time from the request to the decision, of the approvals that were opened after `since`. */
export function medianMillis(approvals: readonly Decided[], since: number): number | undefined {
  const times = approvals
    .filter(({ opened_at: at }) => Date.parse(at) >= since)
    .flatMap(({ opened_at: from, decided_at: to }) => (to === null ? [] : [Date.parse(to) - Date.parse(from)]))
    .sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)];
}
