import { ApiSchema } from '@nestjs/swagger';
import {
  type RunNow,
  TRIGGER_OUTCOMES,
  type TriggerEventEntity,
  type TriggerHealth,
  type TriggerOutcome,
} from '@app/triggers';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { Flag, Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.service.js';

const TYPES = ['webhook', 'email.received', 'schedule', 'poll'] as const;

@ApiSchema({ name: 'Trigger', description: 'A trigger of the production version and its health.' })
export class TriggerResource {
  @Text({ description: 'Id of the trigger in the definition.', example: 'morning' }) id: string;
  @OneOf(TYPES, { description: 'Type of the trigger.', example: 'schedule' }) type: (typeof TYPES)[number];
  @Flag({ description: '`false` while the agent is paused or archived, or the workspace is stopped.', example: true })
  enabled: boolean;
  @Timestamp({
    optional: true,
    nullable: true,
    description: 'Next fire time of a schedule or a poll; null while it is disabled. Absent for other types.',
  })
  next_fire_at?: string | null;
  @Timestamp({ nullable: true, description: 'Time of the last event; null if there was none.' }) last_event_at:
    string | null;
  @Text({ nullable: true, description: 'Reason why `health` is `error`; null while `ok`.', example: null }) last_error:
    string | null;
  @OneOf(['ok', 'error'], {
    description: 'Health; `error` if the latest event was rejected or failed, or the latest poll failed.',
  })
  health: 'ok' | 'error';
}

// An agent has at most twenty triggers, so the list has only one page.
@ApiSchema({ name: 'TriggerPage', description: 'All triggers of an agent.' })
export class TriggerListResource {
  @Nested(TriggerResource, { list: true, description: 'Triggers in the order of the definition.' })
  data: TriggerResource[];
}

export class ListTriggerEventsQuery extends PageQuery {
  @Text({ optional: true, description: 'Id of the trigger in the definition.', example: 'hook' }) trigger?: string;
  @OneOf(TRIGGER_OUTCOMES, {
    optional: true,
    list: true,
    description: 'Outcomes to list. Repeat the parameter or separate outcomes with commas.',
  })
  outcome?: TriggerOutcome[];
}

@ApiSchema({ description: 'A place in the input that is not valid.' })
class TriggerEventError {
  @Text({
    description:
      'JSON Pointer to the place in the event. If it begins with `/input`, it refers to the input that the trigger created from the event.',
    example: '/input/amount',
  })
  pointer: string;
  @Text({ description: 'Explanation for people.', example: 'must be a number' }) detail: string;
}

@ApiSchema({ name: 'TriggerEvent', description: 'An event that arrived for a trigger, and its outcome.' })
export class TriggerEventResource {
  @Id('event', { description: 'Id of the trigger event.' }) id: string;
  @Id('agent') agent: string;
  @Text({ description: 'Id of the trigger in the definition.', example: 'hook' }) trigger: string;
  @OneOf(TYPES, { description: 'Type of the trigger.' }) type: string;
  @OneOf(TRIGGER_OUTCOMES, {
    description:
      'Outcome. `started`: a run was started. `filtered`: the filter ignored the event, or `overlap` or `catch_up` of a ' +
      'schedule did. `duplicate`: the event had already arrived. `rate_limited`: there were too many events. `refused`: ' +
      'the input is not valid. `error`: an expression, the mailbox, the schedule or the poll failed.',
  })
  outcome: TriggerOutcome;
  @Text({ nullable: true, description: 'Reason why no run was started; null if a run was started.', example: null })
  reason: string | null;
  @Nested(TriggerEventError, { list: true, description: 'Places in the input that are not valid.', example: [] })
  errors: TriggerEventError[];
  @Whole({
    nullable: true,
    description: 'Number of the agent version that handled the event; null if none did.',
    example: 3,
  })
  version: number | null;
  @Id('run', {
    nullable: true,
    description:
      'Id of the run that the event started; for a duplicate, the run of the first event; null if there is none.',
  })
  run: string | null;
  @Text({
    nullable: true,
    description: 'Key by which repeated deliveries are recognised; null if there is none.',
    example: 'delivery-4711',
  })
  key: string | null;
  @Timestamp({ description: 'Time of arrival.' }) created_at: string;
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
    ...((trigger.type === 'schedule' || trigger.type === 'poll') && {
      next_fire_at: nextFireAt?.toISOString() ?? null,
    }),
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

export function runNowRequest(
  { workspaceId, email, kind }: Principal,
  agentId: string,
  triggerId: string,
  claim: IdempotencyClaim | undefined,
): RunNow {
  const initiator = { email, keyKind: kind };
  return { workspaceId, agentId, triggerId, initiator, ...(claim && { idempotency: claim }) };
}
