import { ApiSchema } from '@nestjs/swagger';
import {
  type RunNow,
  TRIGGER_OUTCOMES,
  type TriggerEventEntity,
  type TriggerHealth,
  type TriggerOutcome,
} from '@app/triggers';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { Flag, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.js';

const TYPES = ['webhook', 'email.received', 'schedule'] as const;

@ApiSchema({ name: 'Trigger' })
export class TriggerResource {
  @Text({ description: 'As the definition calls it.', example: 'morning' }) id: string;
  @OneOf(TYPES) type: (typeof TYPES)[number];
  @Flag({ description: 'False while its agent is paused or archived or the workspace is stopped.' }) enabled: boolean;
  @Timestamp({
    optional: true,
    nullable: true,
    description: 'Of a schedule: the next fire time; null while the schedule is not enabled.',
  })
  next_fire_at?: string | null;
  @Timestamp({ nullable: true, description: 'When something last arrived for it.' }) last_event_at: string | null;
  @Text({ nullable: true, description: 'Why `health` is `error`; null while it is `ok`.' }) last_error: string | null;
  @OneOf(['ok', 'error'], { description: '`error`: its latest event was refused or failed.' }) health: 'ok' | 'error';
}

/** An agent has at most twenty triggers: its list is one page. */
@ApiSchema({ name: 'TriggerList' })
export class TriggerListResource {
  @Nested(TriggerResource, { list: true }) data: TriggerResource[];
}

export class ListTriggerEventsQuery extends PageQuery {
  @Text({ optional: true, description: 'Only events of this trigger.' }) trigger?: string;
  @OneOf(TRIGGER_OUTCOMES, {
    optional: true,
    list: true,
    description: 'Only events that ended so; repeat it or separate with commas.',
  })
  outcome?: TriggerOutcome[];
}

class TriggerEventError {
  @Text({ description: 'JSON Pointer into what arrived, or below `/input` into what the trigger maps it to.' })
  pointer: string;
  @Text() detail: string;
}

@ApiSchema({ name: 'TriggerEvent' })
export class TriggerEventResource {
  @Text({ example: 'evt_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' }) agent: string;
  @Text({ description: 'The id of the trigger.', example: 'hook' }) trigger: string;
  @OneOf(TYPES) type: string;
  @OneOf(TRIGGER_OUTCOMES, {
    description:
      '`started`: one run. `filtered`: ignored by the filter, or by `overlap` or `catch_up` of a schedule. `duplicate`: it had arrived ' +
      'before. `rate_limited`: too many at a time. `refused`: what it gives does not fit the input. `error`: its expressions failed, ' +
      'or what brings events to it did.',
  })
  outcome: TriggerOutcome;
  @Text({ nullable: true, description: 'Why it started no run.' }) reason: string | null;
  @Nested(TriggerEventError, { list: true, description: 'Where the input was wrong.' }) errors: TriggerEventError[];
  @Whole({ nullable: true, description: 'The version that decided.' }) version: number | null;
  @Text({ nullable: true, description: 'The run that it started; of a duplicate, the first one did.' }) run:
    string | null;
  @Text({ nullable: true, description: 'How repetitions of the event are recognised.' }) key: string | null;
  @Timestamp() created_at: string;
}

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

export function presentTriggerEvent(event: TriggerEventEntity): TriggerEventResource {
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

/** The run of a schedule that a person asks for. */
export function runNowRequest(
  { workspaceId, email, key }: Principal,
  agentId: string,
  triggerId: string,
  claim: IdempotencyClaim | undefined,
): RunNow {
  const initiator = { email, keyKind: key.kind };
  return { workspaceId, agentId, triggerId, initiator, ...(claim && { idempotency: claim }) };
}
