import type { AuditEvent } from '../data/api.js';
import { csvText } from '../ui/csv.js';

/** Maximum number of events in one file. */
export const MAX_EXPORTED = 10_000;

/** Returns the events as CSV (RFC 4180). The details are JSON. */
export function auditCsv(events: readonly AuditEvent[]): string {
  return csvText([
    ['time', 'actor', 'action', 'target', 'details', 'id'],
    ...events.map(({ created_at: at, actor, action, target, detail, id }) => [
      at,
      actor,
      action,
      target ?? '',
      JSON.stringify(detail),
      id,
    ]),
  ]);
}
