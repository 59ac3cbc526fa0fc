import type { ModelProvider } from '../model-providers.js';

/** Returns a profile without a key, prices and facts, except for the given members. */
export function aModelProvider(members: Partial<ModelProvider> = {}): ModelProvider {
  return {
    name: 'theirs',
    type: 'openai-compatible',
    api: null,
    baseUrl: null,
    apiKey: null,
    aws: null,
    google: null,
    secrets: [],
    prices: new Map(),
    models: new Map(),
    embeddings: new Map(),
    ...members,
  };
}
