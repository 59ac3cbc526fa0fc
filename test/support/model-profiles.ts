import type { JsonObject } from '@app/kernel';

/**
 * Prices of the models: one euro per million input tokens and ten euros per million output tokens. A turn of 100 input
 * and 10 output tokens costs 0.0002 euros.
 */
const PRICES = { priced: { input_per_million: '1.00', output_per_million: '10.00', currency: 'EUR' } };
const WRITTEN = { ...PRICES.priced, cache_write_per_million: '1000.00' };
export const COST_OF_A_TURN = '0.0002';
export const MODEL_API_KEY = 'sk-test-0123456789abcdefghij';

const DOLLARS = { priced: { ...PRICES.priced, currency: 'USD' } };

/** Returns the profiles of MODEL_PROVIDERS that tests of models use. `models` and `spare` are the URLs of their servers. */
export function modelProfiles(models: string, spare: string): JsonObject {
  const key = { api_key_env: 'TEST_MODEL_KEY' };
  return {
    fake: {
      type: 'openai-compatible',
      base_url: models,
      ...key,
      prices: PRICES,
      models: { sees: { input: ['text', 'image', 'pdf'] } },
    },
    openai: { type: 'openai', base_url: models, api_key: MODEL_API_KEY, prices: { 'gpt-6.1-terra': PRICES.priced } },
    responses: {
      type: 'openai',
      api: 'responses',
      base_url: models,
      ...key,
      prices: { ...PRICES, written: WRITTEN },
      models: { formed: { structured_output: true } },
    },
    anthropic: { type: 'anthropic', base_url: models, ...key, prices: PRICES },
    google: { type: 'google', base_url: models, ...key, prices: PRICES },
    bedrock: { type: 'bedrock', region: 'eu-central-1', base_url: models, ...key },
    spare: { type: 'openai-compatible', base_url: spare, prices: PRICES },
    dollars: { type: 'openai-compatible', base_url: models, prices: DOLLARS },
  };
}
