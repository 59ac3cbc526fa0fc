import { ApiSchema } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import type { JsonObject } from '@app/kernel';
import {
  CHUNKING_STRATEGIES,
  INDEX_STATUSES,
  type IndexProgress,
  type KnowledgeBaseEntity,
  type KnowledgeSettings,
  RETRIEVAL_MODES,
  TEXT_LANGUAGES,
} from '@app/knowledge';
import { Field, Name, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.js';

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
  @Text({ optional: true, description: 'Only the base of this name.' }) name?: string;
}

export class ChangeKnowledgeBaseBody {
  @Name({ optional: true, maxLength: 200 }) name?: string;
  @Text({ optional: true, maxLength: 2_000 }) description?: string;
  @Field({ optional: true, ...SETTINGS_SCHEMA, description: 'Merged into the settings there are (RFC 7396).' })
  @IsObject()
  settings?: JsonObject;
}

export class CreateKnowledgeBaseBody {
  @Name({ maxLength: 200, example: 'refund-policy', description: 'Unique in the workspace.' }) name: string;
  @Text({ optional: true, maxLength: 2_000 }) description?: string;
  @Text({ optional: true, description: 'One that the installation offers; default the first. Never changes.' })
  region?: string;
  @Field({ optional: true, ...SETTINGS_SCHEMA }) @IsObject() settings?: JsonObject;
}

class BuiltDocumentsResource {
  @Whole() done: number;
  @Whole() total: number;
}

class IndexErrorResource {
  @Text({ example: 'embedding_unavailable' }) code: string;
  @Text() message: string;
}

@ApiSchema({ name: 'IndexProgress' })
export class IndexProgressResource {
  @OneOf(INDEX_STATUSES, {
    description:
      'building: settings have changed, and a new index is made beside the one that answers. embedding: passages wait for vectors, and are found by their words until then. failing: it does not get on, and is tried again.',
  })
  status: (typeof INDEX_STATUSES)[number];
  @Nested(BuiltDocumentsResource, { nullable: true, description: 'That a new index has.' })
  documents: BuiltDocumentsResource | null;
  @Whole({ description: 'Passages without a vector yet.' }) passages_waiting: number;
  @Nested(IndexErrorResource, { nullable: true }) error: IndexErrorResource | null;
}

@ApiSchema({ name: 'KnowledgeBase' })
export class KnowledgeBaseResource {
  @Text({ example: 'kb_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ example: 'refund-policy' }) name: string;
  @Text() description: string;
  @Text({ example: 'local' }) region: string;
  @Field(SETTINGS_SCHEMA) settings: KnowledgeSettings;
  @Whole() document_count: number;
  @Whole() chunk_count: number;
  @Nested(IndexProgressResource, { optional: true, description: 'While there is work on its index.' })
  index?: IndexProgressResource;
  @Timestamp({ nullable: true }) last_synced_at: string | null;
  @Timestamp() created_at: string;
  @Timestamp() updated_at: string;
}

/** `progress`: of the work on its index, while there is some. */
export function presentKnowledgeBase(base: KnowledgeBaseEntity, progress?: IndexProgress): KnowledgeBaseResource {
  const { id, name, description, region, settings } = base;
  return {
    id,
    name,
    description,
    region,
    settings,
    document_count: base.documentCount,
    chunk_count: base.chunkCount,
    ...(progress && { index: presentProgress(progress) }),
    last_synced_at: base.lastSyncedAt?.toISOString() ?? null,
    created_at: base.createdAt.toISOString(),
    updated_at: base.updatedAt.toISOString(),
  };
}

function presentProgress({ passagesWaiting, ...progress }: IndexProgress): IndexProgressResource {
  return { ...progress, passages_waiting: passagesWaiting };
}

/** The content of a creation, for its claim. A body that leaves out a default is equal to one that gives it. */
export function creationContent({ name, description, region, settings }: CreateKnowledgeBaseBody): JsonObject {
  return { name, description: description ?? '', region: region ?? null, settings: settings ?? {} };
}
