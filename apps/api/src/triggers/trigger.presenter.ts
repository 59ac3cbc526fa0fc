import type { TriggerEvent, TriggerHealth, TriggerQueries } from '@app/triggers';
import type { ListSource } from '../http/list-pages.js';
import type {
  ListTriggerEventsQuery,
  TriggerEventResource,
  TriggerListResource,
  TriggerResource,
} from './trigger.dto.js';

export function presentTriggers(triggers: readonly TriggerHealth[]): TriggerListResource {
  return { data: triggers.map(presentTrigger) };
}

function presentTrigger({
  trigger,
  isEnabled,
  nextFireAt,
  lastEventAt,
  lastError,
  health,
}: TriggerHealth): TriggerResource {
  return {
    id: trigger.id,
    type: trigger.type,
    enabled: isEnabled,
    ...(trigger.type === 'schedule' && { next_fire_at: nextFireAt?.toISOString() ?? null }),
    last_event_at: lastEventAt?.toISOString() ?? null,
    last_error: lastError,
    health,
  };
}

/** The trigger log that the query asks for. */
export function triggerEventList(
  triggers: TriggerQueries,
  workspaceId: string,
  agentId: string,
  { trigger, outcome }: ListTriggerEventsQuery,
): ListSource<TriggerEvent, TriggerEventResource> {
  return {
    list: `agents/${agentId}/trigger-events`,
    workspaceId,
    filters: { trigger: trigger ?? null, outcome: outcome ? [...new Set(outcome)].sort() : null },
    read: (page) => triggers.events(workspaceId, agentId, { triggerId: trigger, outcomes: outcome }, page),
    present: presentTriggerEvent,
  };
}

function presentTriggerEvent(event: TriggerEvent): TriggerEventResource {
  return {
    id: event.id,
    agent: event.agentId,
    trigger: event.triggerId,
    type: event.type,
    outcome: event.outcome,
    reason: event.reason,
    errors: (event.errors ?? []).map(({ pointer, detail }) => ({ pointer, detail })),
    version: event.version,
    run: event.runId,
    key: event.key,
    created_at: event.createdAt.toISOString(),
  };
}
