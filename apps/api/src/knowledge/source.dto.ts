import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsObject, IsString, Matches } from 'class-validator';
import type { JsonObject, JsonValue } from '@app/kernel';
import { AUTHORIZATION_STATES, CONNECTORS, NAMED_SCHEDULES, OAUTH_CONNECTORS, SOURCE_STATUSES } from '@app/knowledge';
import { Optional } from '../http/request-validation.js';
import { SyncErrorResource, SyncResource } from './sync.dto.js';

const NAME = /^(?=\S)[^\p{Cc}]{1,500}(?<=\S)$/u;
const NAME_RULE = { message: 'name must be 1 to 500 characters, without spaces around it' };
const TITLE_RULE = { message: 'title must be 1 to 500 characters, without spaces around it' };

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
  @ApiProperty({
    examples: [...CONNECTORS, ...OAUTH_CONNECTORS],
    description: `${CONNECTORS.join(', ')}; or one that somebody has to authorise in a browser, which is answered with where to: ${OAUTH_CONNECTORS.join(', ')}, and what the operator has described.`,
  })
  @IsString()
  connector: string;

  @ApiPropertyOptional(CONFIG_SCHEMA)
  @Optional()
  @IsObject()
  config: JsonObject = {};

  @ApiPropertyOptional(SCHEDULE_SCHEMA)
  @Optional()
  schedule?: JsonValue;
}

export class ChangeSourceBody {
  @ApiPropertyOptional({ ...CONFIG_SCHEMA, description: 'Merged into the configuration there is (RFC 7396).' })
  @Optional()
  @IsObject()
  config?: JsonObject;

  @ApiPropertyOptional(SCHEDULE_SCHEMA)
  @Optional()
  schedule?: JsonValue;

  @ApiPropertyOptional({ enum: ['active', 'paused'], description: '`paused`: its schedule does not fire.' })
  @Optional()
  @IsIn(['active', 'paused'])
  status?: 'active' | 'paused';
}

/** How a pushed document is called. */
export class DocumentNameQuery {
  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: 500,
    description: 'What the document is called within the source: pushing the same name again replaces it.',
    example: 'handbook/refunds.md',
  })
  @Optional()
  @Matches(NAME, NAME_RULE)
  @IsString()
  name?: string;

  @ApiPropertyOptional({ type: String, maxLength: 500, description: 'Default: what the document calls itself.' })
  @Optional()
  @Matches(NAME, TITLE_RULE)
  @IsString()
  title?: string;
}

/** A document that is pushed as JSON. */
export class PushTextBody {
  @ApiProperty({ minLength: 1, maxLength: 500, example: 'handbook/refunds.md' })
  @Matches(NAME, NAME_RULE)
  @IsString()
  name: string;

  @ApiPropertyOptional({ type: String, maxLength: 500 })
  @Optional()
  @Matches(NAME, TITLE_RULE)
  @IsString()
  title?: string;

  @ApiPropertyOptional({ enum: ['text/markdown', 'text/html', 'text/plain'], default: 'text/markdown' })
  @Optional()
  @IsIn(['text/markdown', 'text/html', 'text/plain'])
  content_type = 'text/markdown';

  @ApiProperty({ example: '# Refunds\n\nWithin 30 days.' })
  @IsString()
  text: string;
}

@ApiSchema({ name: 'Source' })
export class SourceResource {
  @ApiProperty({ example: 'src_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ description: 'Id of the knowledge base.' })
  knowledge_base: string;

  @ApiProperty({ example: 'website' })
  connector: string;

  @ApiProperty(CONFIG_SCHEMA)
  config: JsonObject;

  @ApiProperty({ enum: SOURCE_STATUSES })
  status: string;

  @ApiProperty({ enum: AUTHORIZATION_STATES })
  authorization: string;

  @ApiProperty(SCHEDULE_SCHEMA)
  schedule: JsonValue;

  @ApiProperty({ format: 'date-time', nullable: true, type: String, description: 'Null while it is paused, too.' })
  next_sync_at: string | null;

  @ApiProperty({ nullable: true, type: SyncResource, description: 'The latest one that was asked for.' })
  last_sync: SyncResource | null;

  @ApiProperty({ type: 'integer' })
  document_count: number;

  @ApiProperty({ nullable: true, type: SyncErrorResource, description: 'What is wrong with it, since its last sync.' })
  error: SyncErrorResource | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time' })
  updated_at: string;
}

@ApiSchema({ name: 'SourceAuthorization' })
export class AuthorizationResource {
  @ApiProperty({
    format: 'uri',
    description: 'Where somebody gives the permission, in one browser from here to the end.',
  })
  authorize_url: string;

  @ApiProperty({ format: 'date-time' })
  expires_at: string;
}
