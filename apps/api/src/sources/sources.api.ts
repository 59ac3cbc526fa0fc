import { ApiSchema } from '@nestjs/swagger';
import { IsObject, IsString } from 'class-validator';
import type { JsonObject, JsonValue } from '@app/kernel';
import { OAUTH_CONNECTORS } from '@app/connectors';
import { AUTHORIZATION_STATES, CONNECTORS, NAMED_SCHEDULES, SOURCE_STATUSES } from '@app/knowledge';
import { Field, Flag, Id, Name, Nested, OneOf, printable, Text, Timestamp, Whole } from '../http/fields.js';
import { SCHEMA_NAME } from '../openapi/schema-names.js';
import { DocumentFailureResource, SyncErrorResource, SyncResource } from '../syncs/syncs.api.js';

const SCHEDULE_SCHEMA = {
  oneOf: [
    { type: 'string' as const, enum: [...NAMED_SCHEDULES] },
    {
      [SCHEMA_NAME]: 'CronSchedule',
      description: 'A schedule as a cron expression.',
      type: 'object' as const,
      required: ['cron'],
      properties: {
        cron: { type: 'string' as const, example: '0 6 * * 1-5', description: 'Cron expression with five fields.' },
        timezone: {
          type: 'string' as const,
          default: 'UTC',
          example: 'Europe/Berlin',
          description: 'IANA time zone.',
        },
      },
    },
  ],
  description:
    'Schedule of automatic syncs: a name or a cron expression. `hourly`: at each full hour. `daily`: at ' +
    'midnight UTC. `weekly`: on Monday at midnight UTC. `manual` (default of a new source): no automatic syncs.',
  example: 'daily',
};

const CONFIG_SCHEMA = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'Settings of the connector. `config_schema` of `GET /v1/connectors` describes the settings of each ' +
    'connector, for example `start_urls` for `website`. Write a secret as `${{ secrets.NAME }}`; responses ' +
    'contain `***` in its place.',
  example: { start_urls: ['https://docs.example.com/'], include_paths: ['/guide'], schedule: 'daily' },
};

@ApiSchema({ description: 'A source to add.' })
export class CreateSourceBody {
  @Field({
    type: String,
    examples: [...CONNECTORS, ...OAUTH_CONNECTORS],
    description: `Kind of system: ${CONNECTORS.join(', ')}. A person must authorise these kinds in a browser: ${OAUTH_CONNECTORS.join(', ')}, and the providers that the operator has configured. For them, the call is rejected with 422 \`oauth_required\`, and \`authorize_url\` of the error is the address to open.`,
  })
  @IsString()
  connector: string;
  @Field({ optional: true, ...CONFIG_SCHEMA }) @IsObject() config: JsonObject = {};
  @Field({ optional: true, ...SCHEDULE_SCHEMA }) schedule?: JsonValue;
}

@ApiSchema({ description: 'A source to test.' })
export class TestSourceBody {
  @Field({ type: String, example: 'website', description: 'Kind of system, of those that need no authorisation.' })
  @IsString()
  connector: string;
  @Field({ optional: true, ...CONFIG_SCHEMA, description: 'Settings, as for a new source.' })
  @IsObject()
  config: JsonObject = {};
}

@ApiSchema({ description: 'The fields to change. Absent fields do not change.' })
export class ChangeSourceBody {
  @Field({
    optional: true,
    ...CONFIG_SCHEMA,
    description: 'Settings to merge into the current ones (JSON Merge Patch, RFC 7396).',
  })
  @IsObject()
  config?: JsonObject;
  @Field({ optional: true, ...SCHEDULE_SCHEMA }) schedule?: JsonValue;
  @OneOf(['active', 'paused'], {
    optional: true,
    description: 'Status to set: `paused` stops scheduled syncs, `active` enables them.',
  })
  status?: 'active' | 'paused';
}

const TITLE = { optional: true, maxLength: 500, ...printable(500) } as const;

export class DocumentNameQuery {
  @Name({
    optional: true,
    maxLength: 500,
    description:
      'Name of the document within the source. Required to remove a document and to push raw bytes. A JSON or form body contains the name.',
    example: 'handbook/refunds.md',
  })
  name?: string;
  @Text({
    ...TITLE,
    description:
      'Title of the document. Default: the title in the document itself. Has no effect when a document is removed.',
    example: 'Refunds',
  })
  title?: string;
}

@ApiSchema({ description: 'A document whose text is sent as JSON.' })
export class PushTextBody {
  @Name({ maxLength: 500, example: 'handbook/refunds.md', description: 'Name of the document within the source.' })
  name: string;
  @Text({ ...TITLE, description: 'Title. Default: the title in the text.', example: 'Refunds' }) title?: string;
  @OneOf(['text/markdown', 'text/html', 'text/plain'], {
    optional: true,
    default: 'text/markdown',
    description: 'Media type of the text.',
  })
  content_type = 'text/markdown';
  @Text({ description: 'Text of the document.', example: '# Refunds\n\nWithin 30 days.' }) text: string;
}

@ApiSchema({ description: 'A file of the workspace whose bytes are copied into a document.' })
export class PushFileBody {
  @Text({ maxLength: 100, description: 'Id of a file that you may use.', example: 'file_01kahzvk3te9d8q6f0f1v3m2sx' })
  file: string;
  @Name({
    optional: true,
    maxLength: 500,
    example: 'handbook/refunds.pdf',
    description: 'Name of the document within the source. Default: the name of the file.',
  })
  name?: string;
  @Text({ ...TITLE, description: 'Title. Default: the title in the document.', example: 'Refunds' }) title?: string;
}

@ApiSchema({ name: 'Source', description: 'A configured connector that feeds a knowledge base.' })
export class SourceResource {
  @Id('source') id: string;
  @Id('knowledgeBase') knowledge_base: string;
  @Text({ description: 'Connector of the source. It determines the kind of system.', example: 'website' })
  connector: string;
  @Field({ ...CONFIG_SCHEMA, description: 'Settings of the connector, with `***` in place of secrets.' })
  config: JsonObject;
  @OneOf(SOURCE_STATUSES, {
    description:
      'Status. `pending`: not synced yet. `syncing`: a sync is in progress. `active`: the last sync succeeded. `error`: ' +
      'the last sync failed; earlier documents are kept. `paused`: the schedule is off. `deleting`: its documents are ' +
      'being removed.',
    example: 'active',
  })
  status: string;
  @OneOf(AUTHORIZATION_STATES, { description: 'Authorisation by a person; `expired` if it must be renewed.' })
  authorization: string;
  @Text({
    nullable: true,
    description:
      'Account at the provider with which a person authorised the source; null without an authorisation, or if the ' +
      'provider sends no ID token that names it.',
    example: 'ada@example.com',
  })
  account: string | null;
  @Field({ ...SCHEDULE_SCHEMA, description: 'Schedule of automatic syncs.' }) schedule: JsonValue;
  @Timestamp({
    nullable: true,
    description: 'Time of the next scheduled sync; null if there is none or the source is paused.',
  })
  next_sync_at: string | null;
  @Nested(SyncResource, { nullable: true, description: 'Latest sync; null if there was none.' })
  last_sync: SyncResource | null;
  @Whole({ description: 'Number of documents.', example: 340 }) document_count: number;
  @Nested(SyncErrorResource, {
    nullable: true,
    description: 'Error of the last sync; null if there is none.',
    example: null,
  })
  error: SyncErrorResource | null;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Timestamp({ description: 'Time of the last change.' }) updated_at: string;
}

@ApiSchema({ name: 'SourceTest', description: 'The result of a test.' })
export class SourceTestResource {
  @Whole({ description: 'Number of documents that the source lists.', example: 3 }) documents: number;
  @Flag({ description: '`false` if the source may have more documents.', example: true }) is_complete: boolean;
  @Text({ list: true, description: 'Titles of the documents that were read.', example: ['Refunds'] })
  titles: string[];
  @Nested(DocumentFailureResource, { list: true, description: 'Documents that cannot be read.' })
  failures: DocumentFailureResource[];
  @Nested(SyncErrorResource, { nullable: true, description: 'Error of the source; null if it can be read.' })
  error: SyncErrorResource | null;
}

@ApiSchema({ name: 'SourceAuthorization', description: 'A request to a person to authorise a source or a connection.' })
export class AuthorizationResource {
  @Text({
    format: 'uri',
    description:
      'Address at which a person authorises the source or connection. All steps must be in the same browser.',
    example: 'https://aas.example.com/v1/oauth/authorize?state=3f9c',
  })
  authorize_url: string;
  @Timestamp({ description: 'Time until which the address can be used.' }) expires_at: string;
}

@ApiSchema({
  name: 'SourceScope',
  description: 'A folder, database or repository to which a source can be restricted.',
})
class SourceScopeResource {
  @Text({ description: 'Id to write into `config` of the source.', example: '1BxiMVs0XRA5nFMdKvBd' }) id: string;
  @Text({ description: 'Name at the provider.', example: 'Handbook' }) title: string;
}

@ApiSchema({
  name: 'SourceScopePage',
  description: 'The folders, databases or repositories to which a source can be restricted.',
})
export class SourceScopesResource {
  @Text({
    nullable: true,
    description: 'The field of `config` that contains the chosen ids; null if the connector cannot list them.',
    example: 'folders',
  })
  field: string | null;
  @Nested(SourceScopeResource, { list: true, description: 'At most 1,000 entries, in the order of the provider.' })
  data: SourceScopeResource[];
  @Field({ type: Boolean, description: '`false` if the provider has more entries.', example: true })
  is_complete: boolean;
}

/** Returns the fields that must be equal in all requests with the same idempotency key. */
export function sourceContent({ connector, config, schedule }: CreateSourceBody): JsonObject {
  return { connector, config, ...(schedule !== undefined && { schedule }) };
}
