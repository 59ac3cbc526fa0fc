import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';
import { readModelProviders } from './model-providers.js';

const EXAMPLE = `providers:
  local: { type: openai-compatible, base_url: "http://localhost:11434/v1" }
  anthropic:
    type: anthropic              # or openai, openai-compatible, azure, google, mistral, bedrock, vertex
    api_key_env: ANTHROPIC_API_KEY
    prices: { claude-sonnet-5-5: { input_per_million: "3.00", output_per_million: "15.00", currency: USD } }
  openai: { type: openai, api_key_env: OPENAI_API_KEY, api: responses }   # or chat
  vectors:                       # for \`embedding\` of knowledge bases; openai or openai-compatible
    type: openai-compatible
    base_url: "http://localhost:11434/v1"
    embeddings: { nomic-embed-text: { dimensions: 768, batch_size: 64 } }   # both are optional`;

export const modelsConfig = defineDerivedConfig(
  {
    title: 'Models',
    readBy: ['api', 'worker'],
    settings: {
      providers: setting.text('MODEL_PROVIDERS', {
        allowed: 'YAML, or the path of a YAML file',
        defaultNote: 'the profiles that ANTHROPIC_API_KEY and OPENAI_API_KEY create',
        description:
          'Profiles of model providers. The service may connect to the addresses in them, even if EGRESS_ALLOW does ' +
          'not contain them. If a model has no price, its cost is unknown.',
        example: EXAMPLE,
      }),
      anthropicKey: setting.text('ANTHROPIC_API_KEY', {
        allowed: 'an API key',
        description: 'Creates the profile `anthropic` if MODEL_PROVIDERS is not set.',
      }),
      openaiKey: setting.text('OPENAI_API_KEY', {
        allowed: 'an API key',
        description: 'Creates the profile `openai` if MODEL_PROVIDERS is not set.',
      }),
      maxTurnStateBytes: setting.integer('MAX_TURN_STATE_BYTES', {
        default: 1024 * 1024,
        min: 0,
        max: 8 * 1024 * 1024,
        unit: 'bytes',
        description:
          'Reasoning of one model turn that is kept, encrypted, for the next turns of its run. A run keeps at most ' +
          'eight times as much. 0 keeps none.',
      }),
      traceMessages: setting.oneOf('TRACE_MESSAGES', {
        values: ['on', 'off'],
        default: 'on',
        description:
          'Whether the trace of a run contains the system prompts, the tools and the messages that were sent to models.',
      }),
      maxModelFileBytes: setting.integer('MAX_MODEL_FILE_BYTES', {
        default: 20 * 1024 * 1024,
        min: 0,
        max: 100 * 1024 * 1024,
        unit: 'bytes',
        description:
          'Maximum size of the images and documents in one request to a model, together. A worker holds them in memory ' +
          'during the request. 0 shows none.',
        readBy: ['worker'],
      }),
      currency: setting.matching('CURRENCY', {
        default: 'EUR',
        pattern: /^[A-Z]{3}$/,
        allowed: 'an ISO 4217 code such as EUR',
        description: 'Currency of the cost of runs.',
      }),
    },
  },
  ({ currency, maxTurnStateBytes, traceMessages, maxModelFileBytes, ...values }, reader) => ({
    /** Without a profile, only definitions that use no model can run. */
    modelProviders: readModelProviders(values, reader),
    currency,
    maxTurnStateBytes,
    tracesMessages: traceMessages === 'on',
    maxModelFileBytes,
  }),
);
export type ModelsConfig = ConfigOf<typeof modelsConfig>;
