import { ApiSchema } from '@nestjs/swagger';
import { IsObject, IsString } from 'class-validator';
import type { JsonObject, JsonValue } from '@app/kernel';
import { OAUTH_CONNECTORS } from '@app/connectors';
import { AUTHORIZATION_STATES, CONNECTORS, NAMED_SCHEDULES, SOURCE_STATUSES } from '@app/knowledge';
import { Field, Name, Nested, OneOf, printable, Text, Timestamp, Whole } from '../http/fields.js';
import { SyncErrorResource, SyncResource } from '../syncs/syncs.api.js';

const SCHEDULE_SCHEMA = {
  oneOf: [
    { type: 'string' as const, enum: [...NAMED_SCHEDULES] },
    {
      type: 'object' as const,
      required: ['cron'],
      properties: {
        cron: { type: 'string' as const, example: '0 6 * * 1-5' },
        timezone: { type: 'string' as const, default: 'UTC', example: 'Europe/Berlin' },
      },
    },
  ],
  description: 'When it is synced by itself. Names are of UTC.',
};

const CONFIG_SCHEMA = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'Of the connector. website: start_urls, include_paths, exclude_paths, max_pages, max_depth, respect_robots. sitemap: sitemap_urls and the same but for start_urls and max_depth. postgres, mysql: dsn, query, key_column, title_column, text_columns, url_column, updated_at_column. http_api: base_url, auth, items_pointer, next_pointer, next_parameter, key_pointer, title_pointer, text_pointer, url_pointer, updated_at_pointer, content_type. git: url, branch, include_paths, exclude_paths, auth, web_url. upload: nothing. google_drive: folders. notion: data_sources. github: repositories. Every one: schedule. Secrets are `${{ secrets.NAME }}`, and shown as `***`.',
  example: { start_urls: ['https://docs.example.com/'], include_paths: ['/guide'], schedule: 'daily' },
};

export class CreateSourceBody {
  @Field({
    type: String,
    examples: [...CONNECTORS, ...OAUTH_CONNECTORS],
    description: `${CONNECTORS.join(', ')}; or one that somebody has to authorise in a browser, which is answered with where to: ${OAUTH_CONNECTORS.join(', ')}, and what the operator has described.`,
  })
  @IsString()
  connector: string;
  @Field({ optional: true, ...CONFIG_SCHEMA }) @IsObject() config: JsonObject = {};
  @Field({ optional: true, ...SCHEDULE_SCHEMA }) schedule?: JsonValue;
}

export class ChangeSourceBody {
  @Field({ optional: true, ...CONFIG_SCHEMA, description: 'Merged into the configuration there is (RFC 7396).' })
  @IsObject()
  config?: JsonObject;
  @Field({ optional: true, ...SCHEDULE_SCHEMA }) schedule?: JsonValue;
  @OneOf(['active', 'paused'], { optional: true, description: '`paused`: its schedule does not fire.' })
  status?: 'active' | 'paused';
}

const TITLE = { optional: true, maxLength: 500, ...printable(500) } as const;

/** How a pushed document is called. */
export class DocumentNameQuery {
  @Name({
    optional: true,
    maxLength: 500,
    description: 'What the document is called within the source: pushing the same name again replaces it.',
    example: 'handbook/refunds.md',
  })
  name?: string;
  @Text({ ...TITLE, description: 'Default: what the document calls itself.' })
  title?: string;
}

/** A document that is pushed as JSON. */
export class PushTextBody {
  @Name({ maxLength: 500, example: 'handbook/refunds.md' }) name: string;
  @Text(TITLE) title?: string;
  @OneOf(['text/markdown', 'text/html', 'text/plain'], { optional: true, default: 'text/markdown' })
  content_type = 'text/markdown';
  @Text({ example: '# Refunds\n\nWithin 30 days.' }) text: string;
}

@ApiSchema({ name: 'Source' })
export class SourceResource {
  @Text({ example: 'src_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ description: 'Id of the knowledge base.' }) knowledge_base: string;
  @Text({ example: 'website' }) connector: string;
  @Field(CONFIG_SCHEMA) config: JsonObject;
  @OneOf(SOURCE_STATUSES) status: string;
  @OneOf(AUTHORIZATION_STATES) authorization: string;
  @Field(SCHEDULE_SCHEMA) schedule: JsonValue;
  @Timestamp({ nullable: true, description: 'Null while it is paused, too.' }) next_sync_at: string | null;
  @Nested(SyncResource, { nullable: true, description: 'The latest one that was asked for.' })
  last_sync: SyncResource | null;
  @Whole() document_count: number;
  @Nested(SyncErrorResource, { nullable: true, description: 'What is wrong with it, since its last sync.' })
  error: SyncErrorResource | null;
  @Timestamp() created_at: string;
  @Timestamp() updated_at: string;
}

@ApiSchema({ name: 'SourceAuthorization' })
export class AuthorizationResource {
  @Text({ format: 'uri', description: 'Where somebody gives the permission, in one browser from here to the end.' })
  authorize_url: string;
  @Timestamp() expires_at: string;
}

/** The content of a creation, for its claim. */
export function sourceContent({ connector, config, schedule }: CreateSourceBody): JsonObject {
  return { connector, config, ...(schedule !== undefined && { schedule }) };
}
