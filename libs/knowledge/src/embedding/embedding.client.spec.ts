import type { ModelProvider } from '@app/platform/models';
import { assertEmbeds } from './embedding.client.js';
import { aModelProvider } from '../../../platform/src/models/testing/model-provider.js';

describe('assertEmbeds', () => {
  const provider = (name: string, type: ModelProvider['type']): [string, ModelProvider] => [
    name,
    aModelProvider({ name, type }),
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
