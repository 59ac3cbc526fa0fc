import type { KnowledgeBase } from './knowledge-types.js';
import { formOf } from './schema-form.js';

type Settings = Required<KnowledgeBase['settings']>;

const LANGUAGES: readonly Settings['language'][] = [
  'auto',
  'simple',
  'arabic',
  'armenian',
  'basque',
  'catalan',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'greek',
  'hindi',
  'hungarian',
  'indonesian',
  'irish',
  'italian',
  'lithuanian',
  'nepali',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'serbian',
  'spanish',
  'swedish',
  'tamil',
  'turkish',
  'yiddish',
];

export const LANGUAGE_FORM = formOf({
  properties: {
    language: {
      enum: LANGUAGES,
      default: 'auto',
      description: 'Language of the documents, used for word stems. auto detects it for each document.',
    },
  },
});

export const FURTHER_FORM = formOf({
  properties: {
    retrieval: {
      properties: {
        mode: {
          enum: ['keyword', 'semantic', 'hybrid'],
          default: 'keyword',
          description: 'keyword matches words, semantic compares vectors, hybrid combines both.',
        },
        top_k: { type: 'integer', default: 8, description: 'Most passages in a result.' },
        min_score: { type: 'number', default: 0, description: 'Minimum score of a passage, 0 to 1.' },
      },
    },
    embedding: {
      properties: {
        provider: {
          type: 'string',
          description: 'Name of an embedding provider of the installation. Required for semantic and hybrid search.',
        },
        model: { type: 'string', description: 'Name of the embedding model.' },
      },
    },
    chunking: {
      properties: {
        strategy: {
          enum: ['auto', 'markdown', 'sentence'],
          default: 'auto',
          description:
            'markdown splits documents at headings, sentence between sentences. auto chooses by content type.',
        },
        max_tokens: { type: 'integer', default: 512, description: 'Most tokens in a passage.' },
        overlap_tokens: { type: 'integer', default: 64, description: 'Tokens that neighbouring passages share.' },
      },
    },
    deletion_guard: {
      properties: {
        max_ratio: {
          type: 'number',
          default: 0.3,
          description: 'Share of documents above which deletions wait for a confirmation, 0 to 1.',
        },
      },
    },
  },
});

export const SETTINGS_FORM = [...LANGUAGE_FORM, ...FURTHER_FORM];
