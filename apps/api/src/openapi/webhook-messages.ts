import type { OpenAPIObject } from '@nestjs/swagger';
import { ID_PREFIXES, type IdKind, isJsonObject, type JsonObject } from '@app/kernel';
import { nounOf } from '../http/fields.js';
import { EVENT_TYPES, type EventType } from '@app/events';
import { APPROVED_EXAMPLE, EXAMPLE_FIELDS } from './schema-examples.js';
import { pascalCase, SCHEMA_NAME } from './schema-names.js';

type Messages = NonNullable<OpenAPIObject['webhooks']>;
type Schema = JsonObject;

interface Described {
  summary: string;
  data: Schema;
}

const RUN = { $ref: '#/components/schemas/Run', description: 'Run that has ended.' };
const APPROVAL = { $ref: '#/components/schemas/Approval', description: 'Approval that was decided or has expired.' };
const ASKING_RUN = {
  $ref: '#/components/schemas/AskingRun',
  description: 'Run, with the approval that it waits for in the field `approval`.',
};
const WAITING_EXAMPLE = {
  status: 'waiting_approval',
  waiting: { for: 'approval', until: '2026-02-01T08:00:00.000Z' },
  output: null,
  ended_at: null,
  duration_ms: null,
};
const HANDED_OFF_EXAMPLE = { status: 'handed_off', output: { to: ['support'], reason: 'The order is unknown.' } };
const EXPIRED_EXAMPLE = { status: 'expired', decided_at: '2026-02-01T08:00:00.000Z' };
const FAILED_SYNC_EXAMPLE = {
  status: 'failed',
  error: { code: 'site_unreachable', message: 'docs.example.com does not respond.' },
};
const TEXT = { type: 'string' };
const TEXT_OR_NULL = { type: ['string', 'null'] };
const version = (description: string, example: number): Schema => ({ type: 'integer', description, example });
const text = (description: string, example: string): Schema => ({ ...TEXT, description, example });
const idOf = (kind: IdKind): Schema =>
  text(`Id of the ${nounOf(kind)}.`, `${ID_PREFIXES[kind]}_01kahzvk3te9d8q6f0f1v3m2sx`);

/** Returns the schema of an object with these fields. It allows other fields, because a later release may add some. */
const objectOf = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const STOP = {
  [SCHEMA_NAME]: 'WorkspaceStopEventData',
  ...objectOf({
    by: text('E-mail address of the admin who stopped or resumed the workspace.', 'ada@example.com'),
    reason: { ...TEXT_OR_NULL, description: 'Reason; null if none was given.', example: 'Refunds are paid twice' },
  }),
};
const SYNC = {
  [SCHEMA_NAME]: 'SyncEventData',
  ...objectOf({
    knowledge_base: idOf('knowledgeBase'),
    source: idOf('source'),
    sync: idOf('sync'),
    status: {
      type: 'string',
      enum: ['succeeded', 'completed_with_errors', 'failed', 'cancelled'],
      description: 'Final status of the sync.',
    },
    error: {
      anyOf: [{ $ref: '#/components/schemas/SyncError' }, { type: 'null' }],
      description: 'Error if the status is `failed`; null otherwise.',
      example: null,
    },
    progress: { $ref: '#/components/schemas/SyncProgress', description: 'Number of documents by result.' },
  }),
};
const EVALUATION_OUTCOMES = ['passed', 'failed', 'inconclusive', 'errored', 'cancelled'] as const;

const MESSAGES: Record<EventType, Described> = {
  'run.completed': { summary: 'A run ended. Sent once for each run, whatever its final status is.', data: RUN },
  'run.approval_requested': {
    summary: 'A run waits for an approval.',
    data: { ...ASKING_RUN, [EXAMPLE_FIELDS]: WAITING_EXAMPLE },
  },
  'run.handed_off': {
    summary: 'A run ended and was handed over to people.',
    data: { ...RUN, [EXAMPLE_FIELDS]: HANDED_OFF_EXAMPLE },
  },
  'approval.decided': {
    summary: 'An approval was decided.',
    data: { ...APPROVAL, [EXAMPLE_FIELDS]: APPROVED_EXAMPLE },
  },
  'approval.expired': {
    summary: 'An approval expired without a decision.',
    data: { ...APPROVAL, [EXAMPLE_FIELDS]: EXPIRED_EXAMPLE },
  },
  'agent.promoted': {
    summary: 'A version of an agent was promoted.',
    data: objectOf({
      agent: idOf('agent'),
      version: version('Number of the promoted version.', 4),
      production_version: version('Number of the version that is in production now.', 4),
      previous_version: version('Number of the previous production version.', 3),
      evaluation: {
        ...TEXT_OR_NULL,
        description: 'Id of the evaluation that the promotion is based on; null if there is none.',
        example: 'evl_01kahzvk3te9d8q6f0f1v3m2sx',
      },
      promoted_by: text('E-mail address of the member.', 'ada@example.com'),
    }),
  },
  'evaluation.completed': {
    summary: 'An evaluation ended.',
    data: objectOf({
      evaluation: idOf('evaluation'),
      agent: idOf('agent'),
      version: version('Number of the tested version.', 3),
      status: {
        type: 'string',
        enum: [...EVALUATION_OUTCOMES],
        description: 'Status of the evaluation, which is final.',
      },
      gate: { $ref: '#/components/schemas/EvaluationGate', description: 'Verdict of the promotion gate.' },
      cases: { $ref: '#/components/schemas/EvaluationCases', description: 'Number of cases by result.' },
    }),
  },
  'source.sync_completed': { summary: 'A sync of a source ended with another status than `failed`.', data: SYNC },
  'source.sync_failed': {
    summary: 'A sync of a source failed.',
    data: { ...SYNC, [EXAMPLE_FIELDS]: FAILED_SYNC_EXAMPLE },
  },
  'workspace.stopped': { summary: 'The workspace was stopped.', data: STOP },
  'workspace.resumed': {
    summary: 'The workspace was resumed.',
    data: { ...STOP, [EXAMPLE_FIELDS]: { reason: 'Supplier API is back' } },
  },
  'webhook.test': {
    summary: 'A member requested a test message for an endpoint.',
    data: objectOf({
      endpoint: idOf('webhookEndpoint'),
      requested_by: text('E-mail address of the member.', 'ada@example.com'),
    }),
  },
  'webhook.failing': {
    summary: 'The service disabled an endpoint.',
    data: objectOf({
      endpoint: idOf('webhookEndpoint'),
      url: text('Address of the endpoint.', 'https://example.com/events'),
      status: text('Always `disabled`.', 'disabled'),
      reason: text(
        'Reason: `gone` (the endpoint returned 410) or `failing` (deliveries failed for five days).',
        'failing',
      ),
      failing_since: {
        ...TEXT_OR_NULL,
        description: 'Time of the first failure since the last success.',
        example: '2026-01-31T08:00:00.000Z',
      },
    }),
  },
};

const HEADERS = {
  'webhook-id': 'Id of the event, which is the same in each attempt. Use it to ignore repeated messages.',
  'webhook-timestamp': 'Time of the attempt in seconds since 1970. Reject messages that are older than five minutes.',
  'webhook-signature':
    'Signature `v1,<base64>`: the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the base64-decoded secret after `whsec_` as the key. After a rotation, the header contains several signatures, separated by spaces.',
};

const PARAMETERS = Object.fromEntries(
  Object.entries(HEADERS).map(([name, description]) => [
    pascalCase(name),
    { name, in: 'header', required: true, description, schema: TEXT },
  ]),
);

/**
 * Returns the `webhooks` of the document, their parameters and their schemas. They describe the messages that the
 * service sends to event endpoints (Standard Webhooks 1.0).
 */
export function describeMessages(schemas: object): { webhooks: Messages; parameters: JsonObject; events: JsonObject } {
  const event = new Map(Object.entries(schemas)).get('Event') as unknown;
  return {
    parameters: PARAMETERS,
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: describeMessage(type, MESSAGES[type]) }])),
    events: Object.fromEntries(EVENT_TYPES.map((type) => [nameOf(type), eventOf(type, MESSAGES[type], event)])),
  };
}

function nameOf(type: EventType): string {
  return `${pascalCase(type)}Event`;
}

/** Returns the schema `Event` for one type of event. */
function eventOf(type: EventType, { summary, data }: Described, event: unknown): JsonObject {
  const properties = isJsonObject(event) && isJsonObject(event.properties) ? event.properties : {};
  return {
    type: 'object',
    description: summary,
    required: Object.keys(properties),
    properties: {
      ...properties,
      type: { type: 'string', enum: [type], description: 'Type of the event.' },
      data: { description: 'Data of the event.', ...data },
    },
  };
}

function describeMessage(type: EventType, { summary }: Described) {
  return {
    operationId: `webhook${pascalCase(type)}`,
    tags: ['Events'],
    summary,
    security: [],
    parameters: Object.keys(PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${nameOf(type)}` } } },
    },
    responses: {
      '2XX': {
        description: 'Delivered. 410 disables the endpoint, others lead to a retry.',
      },
    },
  };
}
