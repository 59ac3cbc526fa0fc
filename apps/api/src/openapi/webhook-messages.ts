import type { OpenAPIObject } from '@nestjs/swagger';
import { EVENT_TYPES, type EventType } from '@app/events';

type Messages = NonNullable<OpenAPIObject['webhooks']>;
type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

interface Described {
  summary: string;
  /** Of `data`. */
  data: Schema;
}

const RUN = { $ref: '#/components/schemas/Run' };
const APPROVAL = { $ref: '#/components/schemas/Approval' };
const TEXT = { type: 'string' };
const ID = TEXT;
const TEXT_OR_NULL = { oneOf: [TEXT, { type: 'null' }] };
const VERSION = { type: 'integer' };

/** An object with all of these members, and perhaps further ones in a later release. */
const facts = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const STOP = facts({ by: TEXT, reason: TEXT_OR_NULL });
const COUNT = { type: 'integer', minimum: 0 };
const SYNC = facts({
  knowledge_base: ID,
  source: ID,
  sync: ID,
  status: { enum: ['succeeded', 'completed_with_errors', 'failed', 'cancelled'] },
  error: { oneOf: [facts({ code: TEXT, message: TEXT }), { type: 'null' }] },
  progress: facts({ seen: COUNT, added: COUNT, updated: COUNT, unchanged: COUNT, deleted: COUNT, failed: COUNT }),
});
/** How an evaluation may end. */
const EVALUATION_OUTCOMES = ['passed', 'failed', 'inconclusive', 'errored', 'cancelled'] as const;

/** What subscribers are told about each type of event. */
const MESSAGES: Record<EventType, Described> = {
  'run.completed': { summary: 'A run has ended, in whatever status. Once for each run.', data: RUN },
  'run.approval_requested': { summary: 'A run waits for a decision about its open approval.', data: RUN },
  'run.handed_off': { summary: 'A run has ended by handing over to people.', data: RUN },
  'approval.decided': { summary: 'People have decided about an approval.', data: APPROVAL },
  'approval.expired': { summary: 'Nobody decided about an approval in time.', data: APPROVAL },
  'agent.promoted': {
    summary: 'A version of an agent has gone into production.',
    data: facts({ agent: ID, production_version: VERSION, previous_version: VERSION, promoted_by: TEXT }),
  },
  'evaluation.completed': {
    summary: 'The evaluation of a version has ended.',
    data: facts({
      evaluation: ID,
      agent: ID,
      version: VERSION,
      status: { enum: [...EVALUATION_OUTCOMES] },
      gate: { $ref: '#/components/schemas/EvaluationGate' },
      cases: { $ref: '#/components/schemas/EvaluationCases' },
    }),
  },
  'source.sync_completed': { summary: 'A source of a knowledge base is up to date.', data: SYNC },
  'source.sync_failed': { summary: 'A source of a knowledge base could not be read.', data: SYNC },
  'workspace.stopped': { summary: 'The emergency stop was pressed.', data: STOP },
  'workspace.resumed': { summary: 'A stopped workspace goes on.', data: STOP },
  'webhook.test': { summary: 'Somebody tests an endpoint.', data: facts({ endpoint: ID, requested_by: TEXT }) },
  'webhook.failing': {
    summary: 'An endpoint was disabled because it did not take what it was sent.',
    data: facts({ endpoint: ID, url: TEXT, status: TEXT, reason: TEXT, failing_since: TEXT_OR_NULL }),
  },
};

const HEADERS = {
  'webhook-id': 'Id of the event: the same at every attempt. Whoever has seen it has seen the message.',
  'webhook-timestamp': 'Time of the attempt in seconds since 1970. Refuse messages that are minutes old.',
  'webhook-signature':
    '`v1,<base64>` of the HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; several, separated by spaces, after a rotation.',
};

/** The `webhooks` of the OpenAPI document: what endpoints are sent (Standard Webhooks 1.0). */
export function describeMessages(): Messages {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: describeMessage(type, MESSAGES[type]) }]));
}

function describeMessage(type: EventType, { summary, data }: Described) {
  return {
    operationId: `webhook.${type}`,
    tags: ['Events'],
    summary,
    security: [],
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      name,
      in: 'header' as const,
      required: true,
      description,
      schema: TEXT,
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Event' },
              { type: 'object', properties: { type: { enum: [type] }, data } },
            ],
          },
        },
      },
    },
    responses: {
      '2XX': {
        description: 'Delivered. Anything else, a redirect included, is tried again later; 410 disables the endpoint.',
      },
    },
  };
}
