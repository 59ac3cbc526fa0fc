import { Clock, closest } from '@app/kernel';
import {
  DEFAULT_EMBEDDING_MODEL,
  type EmbeddingModelOptions,
  type ModelProvider,
  type ModelsConfig,
  modelsConfig,
} from '@app/platform/models';
import { type EgressClient, EgressError, type EgressResponse, MODEL_EGRESS } from '@app/platform/egress';
import { invalidRequest } from '@app/platform/json-shape';
import { Inject, Injectable } from '@nestjs/common';
import { EmbeddingError, providerMessage, readVectors, retryAfterMillis } from './embedding-answer.js';

type Providers = Pick<ModelsConfig, 'modelProviders'>;

export interface EmbeddingModel {
  provider: string;
  model: string;
}

export interface EmbeddingLimits {
  /** Time limit of one request. */
  timeoutMillis: number;
  attempts: number;
  /** If the provider requests a longer pause, the call fails. */
  longestPauseMillis: number;
  signal: AbortSignal;
}

const OPENAI = 'https://api.openai.com/v1';
const FIRST_PAUSE_MILLIS = 500;
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
/** HTTP status codes that the content of a text may cause, for example because the text is too long. */
const ABOUT_TEXTS: readonly number[] = [400, 413, 422];

@Injectable()
export class EmbeddingClient {
  constructor(
    @Inject(modelsConfig.KEY) private readonly config: Providers,
    @Inject(MODEL_EGRESS) private readonly egress: EgressClient,
    private readonly clock: Clock,
  ) {}

  optionsOf({ provider, model }: EmbeddingModel): EmbeddingModelOptions {
    return this.config.modelProviders.get(provider)?.embeddings.get(model) ?? DEFAULT_EMBEDDING_MODEL;
  }

  /** If the provider is busy or fails, repeats the request within `limits`. */
  async embedTexts(model: EmbeddingModel, texts: readonly string[], limits: EmbeddingLimits): Promise<Float32Array[]> {
    const provider = this.providerOf(model);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.ask(provider, model, texts, limits);
      } catch (error) {
        if (!(error instanceof EmbeddingError) || error.problem !== 'unavailable') throw error;
        const pause = error.retryAfterMillis ?? FIRST_PAUSE_MILLIS * 2 ** (attempt - 1);
        if (attempt >= limits.attempts || pause > limits.longestPauseMillis) throw error;
        await this.clock.sleep(pause, limits.signal);
      }
    }
  }

  private providerOf({ provider: name }: EmbeddingModel): ModelProvider {
    const provider = this.config.modelProviders.get(name);
    if (provider && canEmbed(provider)) return provider;
    const names = embeddingProviders(this.config).join(', ') || 'none';
    const message = `This installation has no provider ${JSON.stringify(name)} that can embed texts. Available providers: ${names}.`;
    throw new EmbeddingError('unknown_provider', message);
  }

  private async ask(
    provider: ModelProvider,
    { model }: EmbeddingModel,
    texts: readonly string[],
    { timeoutMillis, signal }: EmbeddingLimits,
  ): Promise<Float32Array[]> {
    const { dimensions } = this.optionsOf({ provider: provider.name, model });
    const answer = await this.egress
      .request({
        url: `${provider.baseUrl ?? OPENAI}/embeddings`,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(provider.apiKey !== null && { authorization: `Bearer ${provider.apiKey}` }),
        },
        body: JSON.stringify({
          model,
          input: texts,
          encoding_format: 'float',
          ...(dimensions !== null && { dimensions }),
        }),
        timeoutMs: timeoutMillis,
        headersTimeoutMs: timeoutMillis,
        maxResponseBytes: MAX_ANSWER_BYTES,
        signal,
      })
      .catch((error: unknown) => {
        throw unreachable(provider, error);
      });
    if (answer.status !== 200) throw this.refusal(provider, answer);
    return readVectors(answer.body.toString(), texts.length, dimensions);
  }

  private refusal({ name, apiKey }: ModelProvider, { status, headers, body }: EgressResponse): EmbeddingError {
    const text = providerMessage(body.toString());
    const reason = apiKey === null ? text : text.replaceAll(apiKey, '***');
    const message = `The embedding provider ${name} responded with HTTP status ${status}${reason === '' ? '' : `: ${reason}`}.`;
    if (status !== 408 && status !== 429 && status < 500) {
      return new EmbeddingError('refused', message, null, ABOUT_TEXTS.includes(status));
    }
    const wanted = headers['retry-after'];
    return new EmbeddingError('unavailable', message, retryAfterMillis(wanted, this.clock.now()));
  }
}

function unreachable({ name }: ModelProvider, error: unknown): unknown {
  if (!(error instanceof EgressError)) return error;
  return new EmbeddingError('unavailable', `The embedding provider ${name} could not be reached (${error.reason}).`);
}

function embeddingProviders({ modelProviders }: Providers): string[] {
  return [...modelProviders.values()].filter(canEmbed).map(({ name }) => name);
}

function canEmbed({ type }: ModelProvider): boolean {
  return type === 'openai' || type === 'openai-compatible';
}

export function assertEmbeds(config: Providers, provider: string): void {
  const known = embeddingProviders(config);
  if (known.includes(provider)) return;
  const near = closest(provider, known);
  const offered = known.length === 0 ? 'none, see MODEL_PROVIDERS' : known.join(', ');
  const detail = `This installation has no provider ${JSON.stringify(provider)} that can embed texts. Available providers: ${offered}.`;
  const suggestion = near === undefined ? {} : { suggestion: `Did you mean \`${near}\`?` };
  throw invalidRequest([{ pointer: '/settings/embedding/provider', detail, ...suggestion }]);
}
