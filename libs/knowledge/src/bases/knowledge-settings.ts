import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { invalidRequest, jsonShape } from '@app/platform/json-shape';
import { languageNamed, TEXT_LANGUAGES, type TextLanguage } from './text-languages.js';

export const CHUNKING_STRATEGIES = ['auto', 'markdown', 'sentence'] as const;
export const RETRIEVAL_MODES = ['keyword', 'semantic', 'hybrid'] as const;

export type KnowledgeSettings = {
  chunking: {
    strategy: (typeof CHUNKING_STRATEGIES)[number];
    max_tokens: number;
    overlap_tokens: number;
  };
  retrieval: {
    mode: (typeof RETRIEVAL_MODES)[number];
    top_k: number;
    /** Minimum score of a passage, 0 to 1. Passages with a lower score are left out. */
    min_score: number;
  };
  /** If null, texts are not sent to any provider, and retrieval uses the full-text search of Postgres. */
  embedding: { provider: string; model: string } | null;
  language: TextLanguage;
  deletion_guard: { max_ratio: number };
};

/** Increase it with every change of the passages or their words. */
export const INDEX_VERSION = 2;

/** If they change, the index is rebuilt. */
export type IndexSettings = Pick<KnowledgeSettings, 'chunking' | 'embedding' | 'language'> & {
  version?: number;
};

const SHAPE = jsonShape<KnowledgeSettings>({
  type: 'object',
  additionalProperties: false,
  properties: {
    chunking: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        strategy: { enum: [...CHUNKING_STRATEGIES], default: 'auto' },
        max_tokens: { type: 'integer', minimum: 32, maximum: 4_096, default: 512 },
        overlap_tokens: { type: 'integer', minimum: 0, maximum: 1_024, default: 64 },
      },
    },
    retrieval: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        mode: { enum: [...RETRIEVAL_MODES], default: 'keyword' },
        top_k: { type: 'integer', minimum: 1, maximum: 100, default: 8 },
        min_score: { type: 'number', minimum: 0, maximum: 1, default: 0 },
      },
    },
    embedding: {
      type: ['object', 'null'],
      additionalProperties: false,
      default: null,
      required: ['provider', 'model'],
      properties: {
        provider: { type: 'string', minLength: 1, maxLength: 100 },
        model: { type: 'string', minLength: 1, maxLength: 200 },
      },
    },
    language: { enum: [...TEXT_LANGUAGES], default: 'auto' },
    deletion_guard: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: { max_ratio: { type: 'number', minimum: 0, maximum: 1, default: 0.3 } },
    },
  },
});

export function readSettings(given: JsonObject): KnowledgeSettings {
  const { language, ...others } = given;
  const named = language === undefined ? given : { ...others, language: languageNamed(language) };
  const settings = SHAPE.read(named, '/settings');
  const { chunking, retrieval, embedding } = settings;
  if (chunking.overlap_tokens >= chunking.max_tokens) {
    const detail = `overlap_tokens must be less than max_tokens, which is ${chunking.max_tokens}.`;
    throw invalidRequest([{ pointer: '/settings/chunking/overlap_tokens', detail }]);
  }
  if (retrieval.mode !== 'keyword' && embedding === null) {
    const detail = `The retrieval mode ${retrieval.mode} needs an embedding model.`;
    const suggestion = 'Set `embedding: { provider, model }`, or the mode `keyword`.';
    throw invalidRequest([{ pointer: '/settings/retrieval/mode', detail, suggestion }]);
  }
  return settings;
}

/**
 * Null sets a field to null. Unlike in RFC 7396, it does not remove the field.
 * @throws DomainError `invalid_request` with pointers below `/settings`
 */
export function changeSettings(settings: KnowledgeSettings, change: JsonObject): KnowledgeSettings {
  return readSettings(merged(settings, change));
}

export function indexSettings({ chunking, embedding, language }: KnowledgeSettings): IndexSettings {
  return { chunking, embedding, language, version: INDEX_VERSION };
}

function merged(base: JsonObject, change: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const before = result[key] ?? null;
    result[key] = isJsonObject(before) && isJsonObject(value) ? merged(before, value) : value;
  }
  return result;
}
