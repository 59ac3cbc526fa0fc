import type { AuditEvent } from '../data/api.js';

export interface AuditedPromotion {
  /** Id of the audit event. */
  id: string;
  at: string;
  by: string;
  version: number;
  previous: number | null;
}

/** Maximum number of promotions that are returned. */
export const MAX_PROMOTIONS = 8;
/** Maximum number of audit events that are read. The audit log cannot be filtered by agent. */
export const MAX_EVENTS = 1_000;

/**
 * Returns the latest promotions of the agent.
 * @param events the events `agent.promote` of the workspace, newest first. They are read until enough promotions are
 * found, because the latest ones may all be of other agents.
 */
export async function latestPromotions(events: AsyncIterable<AuditEvent>, agent: string): Promise<AuditedPromotion[]> {
  const found: AuditedPromotion[] = [];
  let read = 0;
  for await (const { id, created_at: at, actor: by, target, detail } of events) {
    if (target === agent) {
      const { production_version: version, previous_version: previous } = detail as Record<string, number | null>;
      found.push({ id, at, by, version: version ?? 0, previous: previous ?? null });
    }
    if (found.length === MAX_PROMOTIONS || ++read === MAX_EVENTS) break;
  }
  return found;
}
