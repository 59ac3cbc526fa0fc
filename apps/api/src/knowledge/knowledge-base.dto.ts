import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsObject, IsString, Matches, MaxLength } from 'class-validator';
import type { JsonObject } from '@app/kernel';
import {
  CHUNKING_STRATEGIES,
  INDEX_STATUSES,
  type KnowledgeSettings,
  RETRIEVAL_MODES,
  TEXT_LANGUAGES,
} from '@app/knowledge';
import { PageQuery } from '../http/page.dto.js';
import { Optional } from '../http/request-validation.js';

const NAME = /^(?=\S)[^\p{Cc}]{1,200}(?<=\S)$/u;
const NAME_RULE = { message: 'name must be 1 to 200 characters, without spaces around it' };

/** Described here for people; libs/knowledge checks it. Every part has a default. */
const SETTINGS_SCHEMA = {
  type: 'object' as const,
  properties: {
    chunking: {
      type: 'object' as const,
      properties: {
        strategy: { type: 'string' as const, enum: [...CHUNKING_STRATEGIES], default: 'auto' },
        max_tokens: { type: 'integer' as const, minimum: 32, maximum: 4096, default: 512 },
        overlap_tokens: { type: 'integer' as const, minimum: 0, maximum: 1024, default: 64 },
      },
    },
    retrieval: {
      type: 'object' as const,
      properties: {
        mode: { type: 'string' as const, enum: [...RETRIEVAL_MODES], default: 'keyword' },
        top_k: { type: 'integer' as const, minimum: 1, maximum: 100, default: 8 },
        min_score: { type: 'number' as const, minimum: 0, maximum: 1, default: 0 },
      },
    },
    embedding: {
      nullable: true,
      type: 'object' as const,
      required: ['provider', 'model'],
      properties: { provider: { type: 'string' as const }, model: { type: 'string' as const } },
      description: 'Null: no outside service sees a text.',
    },
    language: { type: 'string' as const, enum: [...TEXT_LANGUAGES], default: 'auto' },
    deletion_guard: {
      type: 'object' as const,
      properties: { max_ratio: { type: 'number' as const, minimum: 0, maximum: 1, default: 0.3 } },
    },
  },
};

export class ListKnowledgeBasesQuery extends PageQuery {
  @ApiPropertyOptional({ type: String, description: 'Only the base of this name.' })
  @Optional()
  @IsString()
  name?: string;
}

export class ChangeKnowledgeBaseBody {
  @ApiPropertyOptional({ type: String, minLength: 1, maxLength: 200 })
  @Optional()
  @Matches(NAME, NAME_RULE)
  @IsString()
  name?: string;

  @ApiPropertyOptional({ type: String, maxLength: 2_000 })
  @Optional()
  @MaxLength(2_000)
  @IsString()
  description?: string;

  @ApiPropertyOptional({ ...SETTINGS_SCHEMA, description: 'Merged into the settings there are (RFC 7396).' })
  @Optional()
  @IsObject()
  settings?: JsonObject;
}

export class CreateKnowledgeBaseBody {
  @ApiProperty({ minLength: 1, maxLength: 200, example: 'refund-policy', description: 'Unique in the workspace.' })
  @Matches(NAME, NAME_RULE)
  @IsString()
  name: string;

  @ApiPropertyOptional({ type: String, maxLength: 2_000 })
  @Optional()
  @MaxLength(2_000)
  @IsString()
  description?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'One that the installation offers; default the first. Never changes.',
  })
  @Optional()
  @IsString()
  region?: string;

  @ApiPropertyOptional(SETTINGS_SCHEMA)
  @Optional()
  @IsObject()
  settings?: JsonObject;
}

class BuiltDocumentsResource {
  @ApiProperty({ type: 'integer' })
  done: number;

  @ApiProperty({ type: 'integer' })
  total: number;
}

class IndexErrorResource {
  @ApiProperty({ example: 'embedding_unavailable' })
  code: string;

  @ApiProperty()
  message: string;
}

@ApiSchema({ name: 'IndexProgress' })
export class IndexProgressResource {
  @ApiProperty({
    enum: INDEX_STATUSES,
    description:
      'building: settings have changed, and a new index is made beside the one that answers. embedding: passages wait for vectors, and are found by their words until then. failing: it does not get on, and is tried again.',
  })
  status: (typeof INDEX_STATUSES)[number];

  @ApiProperty({ type: BuiltDocumentsResource, nullable: true, description: 'That a new index has.' })
  documents: BuiltDocumentsResource | null;

  @ApiProperty({ type: 'integer', description: 'Passages without a vector yet.' })
  passages_waiting: number;

  @ApiProperty({ type: IndexErrorResource, nullable: true })
  error: IndexErrorResource | null;
}

@ApiSchema({ name: 'KnowledgeBase' })
export class KnowledgeBaseResource {
  @ApiProperty({ example: 'kb_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ example: 'refund-policy' })
  name: string;

  @ApiProperty()
  description: string;

  @ApiProperty({ example: 'local' })
  region: string;

  @ApiProperty(SETTINGS_SCHEMA)
  settings: KnowledgeSettings;

  @ApiProperty({ type: 'integer' })
  document_count: number;

  @ApiProperty({ type: 'integer' })
  chunk_count: number;

  @ApiPropertyOptional({ type: IndexProgressResource, description: 'While there is work on its index.' })
  index?: IndexProgressResource;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  last_synced_at: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time' })
  updated_at: string;
}
