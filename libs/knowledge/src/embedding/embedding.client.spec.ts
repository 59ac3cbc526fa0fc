import type { ModelProvider } from '@app/platform/models';
import { assertEmbeds } from './embedding.client.js';

describe('assertEmbeds', () => {
  const provider = (name: string, type: ModelProvider['type']): [string, ModelProvider] => [
    name,
    {
      name,
      type,
      api: null,
      baseUrl: null,
      apiKey: null,
      prices: new Map(),
      models: new Map(),
      aws: null,
      google: null,
      secrets: [],
      embeddings: new Map(),
    },
  ];
  const modelProviders = new Map([provider('openai', 'openai'), provider('anthropic', 'anthropic')]);

  it('accepts only providers of the installation that embed texts', () => {
    expect(() => assertEmbeds({ modelProviders }, 'openai')).not.toThrow();
    expect(() => assertEmbeds({ modelProviders }, 'opnai')).toThrow(
      'This installation has no provider "opnai" that can embed texts. Available providers: openai. Did you mean `openai`?',
    );
    expect(() => assertEmbeds({ modelProviders }, 'anthropic')).toThrow('Available providers: openai.');
    expect(() => assertEmbeds({ modelProviders: new Map() }, 'x')).toThrow('none, see MODEL_PROVIDERS');
  });
});
