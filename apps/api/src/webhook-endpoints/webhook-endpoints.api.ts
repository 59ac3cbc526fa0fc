import { ApiSchema } from '@nestjs/swagger';
import {
  DISABLED_REASONS,
  type DisabledReason,
  ENDPOINT_STATUSES,
  type EndpointStatus,
  type EndpointWithSecret,
  EVENT_TYPES,
  type EventType,
  LONGEST_URL,
  type Subscription,
  type WebhookEndpointEntity,
} from '@app/events';
import { AgentId, OneOf, Text, Timestamp } from '../http/fields.js';

const MOST_AGENTS = 100;

const URL_MEMBER = {
  example: 'https://example.com/events',
  maxLength: LONGEST_URL,
  description:
    'Where messages are posted to. `https:`, at an address that is not private; others only where the operator has listed them in EGRESS_ALLOW.',
};
const EVENTS_MEMBER = {
  list: true,
  minItems: 1,
  most: EVENT_TYPES.length,
  description: 'What it is told about.',
  example: ['run.completed'],
} as const;
const AGENTS_MEMBER = {
  optional: true,
  nullable: true,
  list: true,
  least: 1,
  most: MOST_AGENTS,
  description: 'Only events about these agents, beside those that are about no agent. Null: about all.',
  example: ['agt_01kahzvk3te9d8q6f0f1v3m2sx'],
} as const;

export class CreateWebhookEndpointBody {
  @Text(URL_MEMBER) url: string;
  @OneOf(EVENT_TYPES, EVENTS_MEMBER) events: EventType[];
  @AgentId(AGENTS_MEMBER) agents?: string[] | null;
  @Text({ optional: true, maxLength: 1_000, default: '' }) description = '';
  @OneOf(ENDPOINT_STATUSES, { optional: true, default: 'enabled' }) status: EndpointStatus = 'enabled';
}

export class UpdateWebhookEndpointBody {
  @Text({ ...URL_MEMBER, optional: true }) url?: string;
  @OneOf(EVENT_TYPES, { ...EVENTS_MEMBER, optional: true }) events?: EventType[];
  @AgentId(AGENTS_MEMBER) agents?: string[] | null;
  @Text({ optional: true, maxLength: 1_000 }) description?: string;
  @OneOf(ENDPOINT_STATUSES, {
    optional: true,
    description: '`disabled` gives up what it is still owed; `enabled` forgets that it had failed.',
  })
  status?: EndpointStatus;
}

@ApiSchema({ name: 'WebhookEndpoint' })
export class WebhookEndpointResource {
  @Text({ example: 'whe_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ example: 'https://example.com/events' }) url: string;
  @OneOf(EVENT_TYPES, { list: true }) events: EventType[];
  @Text({ list: true, nullable: true, description: 'Null: all.' }) agents: string[] | null;
  @Text() description: string;
  @OneOf(ENDPOINT_STATUSES) status: EndpointStatus;
  @OneOf(DISABLED_REASONS, {
    nullable: true,
    description: 'Why it is disabled: somebody asked for it, it answered 410, or it failed for five days.',
  })
  disabled_reason: DisabledReason | null;
  @Timestamp({ nullable: true, description: 'Since the first failure that no success has followed.' }) failing_since:
    string | null;
  @Timestamp({ nullable: true, description: 'Until then messages are signed with the secret before as well.' })
  previous_secret_expires_at: string | null;
  @Timestamp() created_at: string;
  @Timestamp() updated_at: string;
}

@ApiSchema({ name: 'NewWebhookEndpoint' })
export class NewWebhookEndpointResource extends WebhookEndpointResource {
  @Text({ description: 'What messages are signed with. Only this answer has it.', example: 'whsec_…' }) secret: string;
}

/** What the body of a creation asks for. */
export function newSubscription(body: CreateWebhookEndpointBody): Subscription {
  const { url, events, agents, description, status } = body;
  return { url, events: distinct(events), agents: agents ? distinct(agents) : null, description, status };
}

/** What the body changes: the members that it has. */
export function subscriptionChange(body: UpdateWebhookEndpointBody): Partial<Subscription> {
  const { url, events, agents, description, status } = body;
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: distinct(events) }),
    ...(agents !== undefined && { agents: agents && distinct(agents) }),
    ...(description !== undefined && { description }),
    ...(status !== undefined && { status }),
  };
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

export function presentEndpoint(endpoint: WebhookEndpointEntity): WebhookEndpointResource {
  const { id, url, events, agents, description, status } = endpoint;
  return {
    id,
    url,
    events,
    agents,
    description,
    status,
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    previous_secret_expires_at: endpoint.previousSecretExpiresAt?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

/** With the secret, for the only time. */
export function presentEndpointWithSecret({ endpoint, secret }: EndpointWithSecret): NewWebhookEndpointResource {
  return Object.assign(presentEndpoint(endpoint), { secret });
}
