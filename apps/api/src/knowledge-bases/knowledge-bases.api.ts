import { ApiSchema } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import type { JsonObject } from '@app/kernel';
import {
  type BaseContents,
  CHUNKING_STRATEGIES,
  INDEX_STATUSES,
  type IndexProgress,
  type KnowledgeBaseEntity,
  type KnowledgeSettings,
  NO_CONTENTS,
  RETRIEVAL_MODES,
  TEXT_LANGUAGES,
} from '@app/knowledge';
import { Field, Id, Name, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { SCHEMA_NAME } from '../openapi/schema-names.js';
import { PageQuery } from '../http/list-pages.service.js';

/** Schema for the OpenAPI document only. libs/knowledge validates the settings. */
const SETTINGS_SCHEMA = {
  [SCHEMA_NAME]: 'KnowledgeBaseSettings',
  type: 'object' as const,
  description: 'Settings; each has a default.',
  example: {
    chunking: { strategy: 'auto', max_tokens: 512, overlap_tokens: 64 },
    retrieval: { mode: 'keyword', top_k: 8, min_score: 0 },
    embedding: null,
    language: 'auto',
    deletion_guard: { max_ratio: 0.3 },
  },
  properties: {
    chunking: {
      type: 'object' as const,
      description: 'How documents are divided into passages.',
      properties: {
        strategy: {
          type: 'string' as const,
          enum: [...CHUNKING_STRATEGIES],
          default: 'auto',
          description:
            'Strategy. `markdown` divides at headings, `sentence` between sentences, `auto` by content type.',
        },
        max_tokens: {
          type: 'integer' as const,
          minimum: 32,
          maximum: 4096,
          default: 512,
          description: 'Maximum number of tokens in a passage.',
        },
        overlap_tokens: {
          type: 'integer' as const,
          minimum: 0,
          maximum: 1024,
          default: 64,
          description: 'Number of tokens that neighbouring passages share.',
        },
      },
    },
    retrieval: {
      type: 'object' as const,
      description: 'Default settings of searches.',
      properties: {
        mode: {
          type: 'string' as const,
          enum: [...RETRIEVAL_MODES],
          default: 'keyword',
          description: 'Mode. `keyword` matches words, `semantic` compares vectors, `hybrid` combines both.',
        },
        top_k: {
          type: 'integer' as const,
          minimum: 1,
          maximum: 100,
          default: 8,
          description: 'Maximum number of passages in a result.',
        },
        min_score: {
          type: 'number' as const,
          minimum: 0,
          maximum: 1,
          default: 0,
          description: 'Minimum score of a passage in a result.',
        },
      },
    },
    embedding: {
      nullable: true,
      type: 'object' as const,
      required: ['provider', 'model'],
      properties: {
        provider: { type: 'string' as const, description: 'Provider profile of the installation.' },
        model: { type: 'string' as const, description: 'Name of the embedding model.' },
      },
      description: 'Embedding model; null to use full-text search only, without any outside service.',
    },
    language: {
      type: 'string' as const,
      enum: [...TEXT_LANGUAGES],
      default: 'auto',
      description: 'Language for word stems; `auto` detects it for each document.',
    },
    deletion_guard: {
      type: 'object' as const,
      description: 'Protection against the deletion of many documents, for example after a failure of the source.',
      properties: {
        max_ratio: {
          type: 'number' as const,
          minimum: 0,
          maximum: 1,
          default: 0.3,
          description: 'Share of documents above which deletions wait for a confirmation, 0 to 1.',
        },
      },
    },
  },
};

export class ListKnowledgeBasesQuery extends PageQuery {
  @Text({ optional: true, description: 'Exact name of the knowledge base.', example: 'refund-policy' }) name?: string;
}

@ApiSchema({ description: 'The fields to change. Absent fields do not change.' })
export class ChangeKnowledgeBaseBody {
  @Name({ optional: true, maxLength: 200, example: 'refund-policy', description: 'Name, unique in the workspace.' })
  name?: string;
  @Text({ optional: true, maxLength: 2_000, description: 'Description for people.', example: 'Refund rules' })
  description?: string;
  @Field({
    optional: true,
    ...SETTINGS_SCHEMA,
    description:
      'Settings to merge into the current ones (JSON Merge Patch, RFC 7396). A change of `chunking`, `embedding` or `language` rebuilds the index; until the new index is complete, searches use the old index.',
  })
  @IsObject()
  settings?: JsonObject;
}

@ApiSchema({ description: 'A knowledge base to create.' })
export class CreateKnowledgeBaseBody {
  @Name({ maxLength: 200, example: 'refund-policy', description: 'Name, unique in the workspace.' }) name: string;
  @Text({ optional: true, maxLength: 2_000, description: 'Description for people.', example: 'Refund rules' })
  description?: string;
  @Text({
    optional: true,
    description:
      'Region of the data: one of `regions` of `GET /v1/workspace`. Default: the first region. It cannot be changed.',
    example: 'local',
  })
  region?: string;
  @Field({ optional: true, ...SETTINGS_SCHEMA }) @IsObject() settings?: JsonObject;
}

@ApiSchema({ name: 'BuiltDocuments', description: 'Progress of building a new index.' })
class BuiltDocumentsResource {
  @Whole({ description: 'Number of documents that the new index contains so far.', example: 120 }) done: number;
  @Whole({ description: 'Number of documents in the knowledge base.', example: 340 }) total: number;
}

@ApiSchema({ name: 'IndexError', description: 'The reason why indexing fails.' })
class IndexErrorResource {
  @Text({ description: 'Code of the error.', example: 'embedding_unavailable' }) code: string;
  @Text({ description: 'Explanation for people.', example: 'The embedding provider does not respond.' })
  message: string;
}

@ApiSchema({ name: 'IndexProgress', description: 'State of the work on the index of a knowledge base.' })
export class IndexProgressResource {
  @OneOf(INDEX_STATUSES, {
    description:
      'Status. `building`: the settings have changed and a new index is being built. Searches use the old index until then. `embedding`: passages without a vector are found by keyword only. `failing`: indexing failed and is retried.',
  })
  status: (typeof INDEX_STATUSES)[number];
  @Nested(BuiltDocumentsResource, {
    nullable: true,
    description: 'Progress of building a new index; null if no index is being built.',
  })
  documents: BuiltDocumentsResource | null;
  @Whole({ description: 'Number of passages without a vector.', example: 0 }) passages_waiting: number;
  @Nested(IndexErrorResource, {
    nullable: true,
    description: 'Error if the status is `failing`; null otherwise.',
    example: null,
  })
  error: IndexErrorResource | null;
}

@ApiSchema({ description: 'Number of sources of a knowledge base, by state. A source can be in several states.' })
class SourceCounts {
  @Whole({ description: 'Number of sources.', example: 3 }) total: number;
  @Whole({ description: 'Number of sources with a sync in progress.', example: 1 }) syncing: number;
  @Whole({ description: 'Number of sources whose last sync failed.', example: 0 }) failing: number;
  @Whole({ description: 'Number of sources whose authorisation must be renewed.', example: 0 }) expired: number;
}

@ApiSchema({ description: 'Number of readers of a knowledge base, by type.' })
class GrantCounts {
  @Whole({ description: 'Number of people.', example: 2 }) users: number;
  @Whole({ description: 'Number of groups.', example: 1 }) groups: number;
  @Whole({ description: 'Number of channels.', example: 0 }) channels: number;
  @Whole({ description: 'Number of agents.', example: 1 }) agents: number;
}

@ApiSchema({ name: 'KnowledgeBase', description: 'A collection of documents that agents can search.' })
export class KnowledgeBaseResource {
  @Id('knowledgeBase') id: string;
  @Text({ description: 'Name, unique in the workspace.', example: 'refund-policy' }) name: string;
  @Text({ description: 'Description for people.', example: 'Refund rules' }) description: string;
  @Text({ description: 'Region in which the data is stored.', example: 'local' }) region: string;
  @Field(SETTINGS_SCHEMA) settings: KnowledgeSettings;
  @Whole({ description: 'Number of documents.', example: 340 }) document_count: number;
  @Whole({ description: 'Number of passages.', example: 2150 }) chunk_count: number;
  @Nested(SourceCounts, { description: 'Number of sources, by state.' }) sources: SourceCounts;
  @Nested(GrantCounts, { description: 'Number of readers, by type.' }) grants: GrantCounts;
  @Nested(IndexProgressResource, {
    optional: true,
    description: 'State of the work on the index; absent if no work is in progress.',
  })
  index?: IndexProgressResource;
  @Timestamp({ nullable: true, description: 'End of the last successful sync; null if there was none.' })
  last_synced_at: string | null;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Timestamp({ description: 'Time of the last change.' }) updated_at: string;
}

/** `progress` is undefined if no documents are being indexed. */
export function presentKnowledgeBase(
  base: KnowledgeBaseEntity,
  { sources, grants }: BaseContents = NO_CONTENTS,
  progress?: IndexProgress,
): KnowledgeBaseResource {
  const { id, name, description, region, settings } = base;
  return {
    id,
    name,
    description,
    region,
    settings,
    document_count: base.documentCount,
    chunk_count: base.chunkCount,
    sources,
    grants,
    ...(progress && { index: presentProgress(progress) }),
    last_synced_at: base.lastSyncedAt?.toISOString() ?? null,
    created_at: base.createdAt.toISOString(),
    updated_at: base.updatedAt.toISOString(),
  };
}

function presentProgress({ passagesWaiting, ...progress }: IndexProgress): IndexProgressResource {
  return { ...progress, passages_waiting: passagesWaiting };
}

/**
 * Returns the fields that must be equal in all requests with the same idempotency key. An omitted `description` equals
 * an empty one, and omitted `settings` equal `{}`.
 */
export function creationContent({ name, description, region, settings }: CreateKnowledgeBaseBody): JsonObject {
  return { name, description: description ?? '', region: region ?? null, settings: settings ?? {} };
}
