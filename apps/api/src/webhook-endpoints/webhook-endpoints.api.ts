import { ApiSchema } from '@nestjs/swagger';
import {
  DISABLED_REASONS,
  type DisabledReason,
  ENDPOINT_STATUSES,
  type EndpointStatus,
  type EndpointWithSecret,
  EVENT_TYPES,
  type EventType,
  MAX_URL,
  type Subscription,
  type WebhookEndpointEntity,
} from '@app/events';
import { AgentId, Id, OneOf, Text, Timestamp } from '../http/fields.js';

const MAX_AGENTS = 100;

const URL_MEMBER = {
  example: 'https://example.com/events',
  maxLength: MAX_URL,
  description: 'Address that messages are posted to: `https:` and public, unless `EGRESS_ALLOW` allows another.',
};
const EVENTS_MEMBER = {
  list: true,
  minItems: 1,
  most: EVENT_TYPES.length,
  description: 'Types of events to send.',
  example: ['run.completed'],
} as const;
const AGENTS_MEMBER = {
  optional: true,
  nullable: true,
  list: true,
  least: 1,
  most: MAX_AGENTS,
  description: 'Ids of the agents whose events are sent; null for all. Events that concern no agent are always sent.',
  example: ['agt_01kahzvk3te9d8q6f0f1v3m2sx'],
} as const;

@ApiSchema({ description: 'An endpoint to create.' })
export class CreateWebhookEndpointBody {
  @Text(URL_MEMBER) url: string;
  @OneOf(EVENT_TYPES, EVENTS_MEMBER) events: EventType[];
  @AgentId(AGENTS_MEMBER) agents?: string[] | null;
  @Text({ optional: true, maxLength: 1_000, default: '', description: 'Description for people.' }) description = '';
  @OneOf(ENDPOINT_STATUSES, {
    optional: true,
    default: 'enabled',
    description: 'Status. A disabled endpoint receives no messages.',
  })
  status: EndpointStatus = 'enabled';
}

@ApiSchema({ description: 'The fields to change. Absent fields do not change.' })
export class UpdateWebhookEndpointBody {
  @Text({ ...URL_MEMBER, optional: true }) url?: string;
  @OneOf(EVENT_TYPES, { ...EVENTS_MEMBER, optional: true }) events?: EventType[];
  @AgentId(AGENTS_MEMBER) agents?: string[] | null;
  @Text({ optional: true, maxLength: 1_000, description: 'Description for people.', example: 'Ledger' })
  description?: string;
  @OneOf(ENDPOINT_STATUSES, {
    optional: true,
    description: 'Status to set. `disabled` cancels pending deliveries. `enabled` resets `failing_since`.',
  })
  status?: EndpointStatus;
}

@ApiSchema({ name: 'WebhookEndpoint', description: 'An address that events are sent to.' })
export class WebhookEndpointResource {
  @Id('webhookEndpoint') id: string;
  @Text({ description: 'Address that messages are posted to.', example: 'https://example.com/events' }) url: string;
  @OneOf(EVENT_TYPES, { list: true, description: 'Types of events that are sent.', example: ['run.completed'] })
  events: EventType[];
  @Text({
    list: true,
    nullable: true,
    description: 'Ids of the agents whose events are sent; null for all.',
    example: null,
  })
  agents: string[] | null;
  @Text({ description: 'Description for people.', example: 'Ledger' }) description: string;
  @OneOf(ENDPOINT_STATUSES, { description: 'Status. A disabled endpoint receives no messages.' })
  status: EndpointStatus;
  @OneOf(DISABLED_REASONS, {
    nullable: true,
    description:
      'Reason why the endpoint is disabled. `requested`: an API call disabled it. `gone`: it returned 410. `failing`: deliveries to it failed for five days. Null while it is enabled.',
    example: null,
  })
  disabled_reason: DisabledReason | null;
  @Timestamp({
    nullable: true,
    description: 'Time of the first failure since the last success; null if the last delivery succeeded.',
    example: null,
  })
  failing_since: string | null;
  @Timestamp({
    nullable: true,
    description: 'Time until which messages are also signed with the previous secret; null if there is none.',
    example: null,
  })
  previous_secret_expires_at: string | null;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Timestamp({ description: 'Time of the last change.' }) updated_at: string;
}

@ApiSchema({ name: 'NewWebhookEndpoint', description: 'An endpoint with its secret.' })
export class NewWebhookEndpointResource extends WebhookEndpointResource {
  @Text({ description: 'Secret that messages are signed with. Only this response contains it.', example: 'whsec_…' })
  secret: string;
}

export function newSubscription(body: CreateWebhookEndpointBody): Subscription {
  const { url, events, agents, description, status } = body;
  return { url, events: distinct(events), agents: agents ? distinct(agents) : null, description, status };
}

/** Returns the change of the subscription. It contains only the fields that the body sets. */
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

/** Returns an event endpoint with its secret. Only the responses to a creation and to a rotation contain the secret. */
export function presentEndpointWithSecret({ endpoint, secret }: EndpointWithSecret): NewWebhookEndpointResource {
  return Object.assign(presentEndpoint(endpoint), { secret });
}
