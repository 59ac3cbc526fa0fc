import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { invalidRequest, jsonShape } from '@app/platform/json-shape';
import { languageNamed, TEXT_LANGUAGES, type TextLanguage } from './text-languages.js';

export const CHUNKING_STRATEGIES = ['auto', 'markdown', 'sentence'] as const;
export const RETRIEVAL_MODES = ['keyword', 'semantic', 'hybrid'] as const;

/** How a base cuts, finds and guards its documents (contract, section 9). */
export type KnowledgeSettings = {
  chunking: {
    strategy: (typeof CHUNKING_STRATEGIES)[number];
    /** Tokens of one chunk at most. */
    max_tokens: number;
    /** Tokens at the end of a chunk that the next one begins with. */
    overlap_tokens: number;
  };
  retrieval: {
    mode: (typeof RETRIEVAL_MODES)[number];
    /** Passages that a search gives unless it asks for another number. */
    top_k: number;
    /** Passages below are left out, 0 to 1. */
    min_score: number;
  };
  /** Null: no outside service sees a text; retrieval is Postgres full-text search. */
  embedding: { provider: string; model: string } | null;
  language: TextLanguage;
  /** A sync that would delete more than this share of a source's documents is held for a person. */
  deletion_guard: { max_ratio: number };
};

/**
 * The version of the code that cuts passages and reads their words. Workers rebuild each index of an older version, beside the one that
 * answers. Raise it with every change of what passages or their words are.
 */
export const INDEX_VERSION = 2;

/** What passages are made by: when it changes, the index is rebuilt. */
export type IndexSettings = Pick<KnowledgeSettings, 'chunking' | 'embedding' | 'language'> & {
  /** Undefined: made before versions were recorded. */
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

/**
 * The settings of a new base: what is given, completed by the defaults.
 * @throws DomainError `invalid_request` with pointers below `/settings`
 */
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
    const detail = `The mode ${retrieval.mode} needs an embedding.`;
    const suggestion = 'Set `embedding: { provider, model }`, or the mode `keyword`.';
    throw invalidRequest([{ pointer: '/settings/retrieval/mode', detail, suggestion }]);
  }
  return settings;
}

/**
 * The settings with a change merged in (RFC 7396): what the change does not name stays as it is.
 * @throws DomainError `invalid_request` with pointers below `/settings`
 */
export function changeSettings(settings: KnowledgeSettings, change: JsonObject): KnowledgeSettings {
  return readSettings(merged(settings, change));
}

/** The part of the settings that passages are made by. */
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
