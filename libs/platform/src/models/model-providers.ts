import { parseMicros } from '@app/kernel';
import { type EnvironmentReader, readYamlSetting, type YamlNode } from '@app/platform/config';
import { type ModelFacts, readModelFacts, shippedModels } from './model-facts.js';
import {
  keysOf,
  MODEL_PROVIDER_TYPES,
  type ModelProviderType,
  readSignIn,
  type SignIn,
  vendorAddress,
  vertexPath,
} from './provider-sign-in.js';

export interface EmbeddingModelOptions {
  /**
   * Number of dimensions of an embedding vector. If set, the number is sent with each request and checked in the
   * response. Null means the default of the model.
   */
  readonly dimensions: number | null;
  readonly batchSize: number;
}

export const DEFAULT_EMBEDDING_MODEL: EmbeddingModelOptions = { dimensions: null, batchSize: 64 };

const MAX_EMBEDDING = { dimensions: 16_000, batchSize: 2_048 } as const;

export const OPENAI_APIS = ['responses', 'chat'] as const;
export type OpenAiApi = (typeof OPENAI_APIS)[number];

export interface ModelProvider extends SignIn {
  readonly name: string;
  readonly type: ModelProviderType;
  /** API of a profile of the type `openai` or `azure`: Responses or Chat Completions. Null for other types. */
  readonly api: OpenAiApi | null;
  readonly baseUrl: string | null;
  /** If a model has no price, its cost is unknown. */
  readonly prices: ReadonlyMap<string, ModelPrice>;
  readonly models: ReadonlyMap<string, ModelFacts>;
  readonly embeddings: ReadonlyMap<string, EmbeddingModelOptions>;
}

export interface ModelPrice {
  readonly inputMicros: bigint;
  /** Default: the input price. */
  readonly cacheReadMicros: bigint;
  /** Default: the input price. */
  readonly cacheWriteMicros: bigint;
  readonly outputMicros: bigint;
  readonly currency: string;
}

export type ModelProviders = ReadonlyMap<string, ModelProvider>;

const VARIABLE = 'MODEL_PROVIDERS';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

interface ProviderTexts {
  readonly providers: string | undefined;
  readonly anthropicKey: string | undefined;
  readonly openaiKey: string | undefined;
}

/** If MODEL_PROVIDERS is not set, returns one profile for each vendor whose API key is set. */
export function readModelProviders(texts: ProviderTexts, reader: EnvironmentReader): ModelProviders {
  if (texts.providers === undefined) return vendorProfiles(texts);
  const root = readYamlSetting(reader, VARIABLE, texts.providers);
  if (!root) return new Map();
  root.allowKeys(['providers']);
  const profiles = root.member('providers').entries();
  return new Map(profiles.map(([name, node]) => [name, profile(name, node, reader)]));
}

function vendorProfiles({ anthropicKey, openaiKey }: ProviderTexts): ModelProviders {
  const keys = { anthropic: anthropicKey, openai: openaiKey } as const;
  const profiles = (['anthropic', 'openai'] as const).flatMap((name): ModelProvider[] => {
    const apiKey = keys[name];
    const api = name === 'openai' ? 'responses' : null;
    return apiKey === undefined
      ? []
      : [
          {
            name,
            type: name,
            api,
            baseUrl: null,
            apiKey,
            aws: null,
            google: null,
            secrets: [apiKey],
            prices: new Map(),
            models: shippedModels(name),
            embeddings: new Map(),
          },
        ];
  });
  return new Map(profiles.map((each) => [each.name, each]));
}

function profile(name: string, node: YamlNode, reader: EnvironmentReader): ModelProvider {
  if (!NAME.test(name)) node.reject('a profile name of 1 to 63 letters, digits, ".", "_" or "-"');
  const known = MODEL_PROVIDER_TYPES.find((each) => each === node.member('type').value);
  if (!known) node.member('type').reject(`one of ${MODEL_PROVIDER_TYPES.join(', ')}`);
  node.allowKeys(keysOf(known));
  const type = known ?? 'openai-compatible';
  const baseUrl = baseUrlOf(node.member('base_url'));
  if ((known === 'openai-compatible' || known === 'azure') && baseUrl === null)
    node.member('base_url').reject('the URL of the server');
  const prices = node.member('prices').entries();
  const embeddings = node.member('embeddings').entries();
  return {
    name,
    type,
    ...readSignIn(node, type, reader),
    api: apiOf(node.member('api'), type, baseUrl),
    baseUrl: addressOf(node, type, baseUrl),
    prices: new Map(prices.map(([model, price]) => [model, priceOf(price)])),
    models: readModelFacts(node.member('models'), hasShipped(type, baseUrl) ? shippedModels(type) : new Map()),
    embeddings: new Map(embeddings.map(([model, options]) => [model, embeddingOf(options)])),
  };
}

/** The models behind another address may be different ones with equal names. */
function hasShipped(type: ModelProviderType, baseUrl: string | null): boolean {
  return baseUrl === null || type === 'azure' || type === 'bedrock' || type === 'vertex';
}

function apiOf(node: YamlNode, type: ModelProviderType, baseUrl: string | null): OpenAiApi | null {
  if (type !== 'openai' && type !== 'azure') return null;
  if (node.isAbsent) return type === 'azure' || baseUrl === null ? 'responses' : 'chat';
  const api = OPENAI_APIS.find((each) => each === node.value);
  if (!api) node.reject(`one of ${OPENAI_APIS.join(', ')}`);
  return api ?? null;
}

function addressOf(node: YamlNode, type: ModelProviderType, baseUrl: string | null): string | null {
  if (type === 'azure' && baseUrl !== null) return `${baseUrl.replace(/\/openai(\/v1)?$/, '')}/openai/v1`;
  const vendor = vendorAddress(node, type);
  const address = baseUrl ?? vendor;
  return type === 'vertex' ? `${address ?? ''}${vertexPath(node)}` : address;
}

function baseUrlOf(node: YamlNode): string | null {
  if (node.isAbsent) return null;
  const text = String(node.value);
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  node.reject('a URL that starts with http:// or https://');
  return null;
}

function priceOf(node: YamlNode): ModelPrice {
  const cacheKeys = ['cache_read_per_million', 'cache_write_per_million'];
  node.allowKeys(['input_per_million', ...cacheKeys, 'output_per_million', 'currency']);
  const amount = (key: string): bigint => {
    const micros = parseMicros(String(node.member(key).value));
    if (micros === undefined || micros < 0n) node.member(key).reject('an amount such as 3.00');
    return micros ?? 0n;
  };
  const currency = String(node.member('currency').value);
  if (!/^[A-Z]{3}$/.test(currency)) node.member('currency').reject('an ISO 4217 code such as USD');
  const inputMicros = amount('input_per_million');
  const [cacheReadMicros = inputMicros, cacheWriteMicros = inputMicros] = cacheKeys.map((key) =>
    node.member(key).isAbsent ? inputMicros : amount(key),
  );
  return { inputMicros, cacheReadMicros, cacheWriteMicros, outputMicros: amount('output_per_million'), currency };
}

function embeddingOf(node: YamlNode): EmbeddingModelOptions {
  node.allowKeys(['dimensions', 'batch_size']);
  const whole = (key: string, most: number): number | null => {
    const { isAbsent, value } = node.member(key);
    if (isAbsent) return null;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value;
    node.member(key).reject(`a whole number from 1 to ${most}`);
    return null;
  };
  const batchSize = whole('batch_size', MAX_EMBEDDING.batchSize) ?? DEFAULT_EMBEDDING_MODEL.batchSize;
  return { dimensions: whole('dimensions', MAX_EMBEDDING.dimensions), batchSize };
}
