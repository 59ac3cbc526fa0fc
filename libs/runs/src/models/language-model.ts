import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelProvider } from '@app/platform/models';
import { type LanguageModel, type LanguageModelMiddleware, simulateStreamingMiddleware, wrapLanguageModel } from 'ai';

type Fetch = typeof fetch;

/** The libraries insist on a key, and would look for one in the environment. */
const NO_KEY = 'none';

/** Thrown and caught in here: there is a whole answer where a stream was asked for. */
class AnsweredAtOnce extends Error {
  override readonly name = 'AnsweredAtOnce';
}

/**
 * A model of a provider, for one turn. Servers that know nothing of streams answer as a whole; such an answer is used as it
 * is, and nothing is asked twice.
 */
export function languageModel(provider: ModelProvider, name: string, send: Fetch): LanguageModel {
  let whole: Response | undefined;
  const streamingFetch: Fetch = async (input, init) => {
    if (whole) return whole;
    const answer = await send(input, init);
    if (!answer.ok || !/^application\/json\b/i.test(answer.headers.get('content-type') ?? '')) return answer;
    whole = answer;
    throw new AnsweredAtOnce();
  };
  const simulated = simulateStreamingMiddleware();
  const middleware: LanguageModelMiddleware = {
    specificationVersion: 'v3',
    wrapStream: async (call) => {
      try {
        return await call.doStream();
      } catch (error) {
        if (!(error instanceof AnsweredAtOnce) || !simulated.wrapStream) throw error;
        return simulated.wrapStream(call);
      }
    },
  };
  return wrapLanguageModel({ model: modelOf(provider, name, streamingFetch), middleware });
}

function modelOf({ type, name: provider, baseUrl, apiKey }: ModelProvider, name: string, fetch: Fetch) {
  const baseURL = baseUrl ?? undefined;
  switch (type) {
    case 'anthropic':
      return createAnthropic({ fetch, apiKey: apiKey ?? NO_KEY, ...(baseURL !== undefined && { baseURL }) })(name);
    case 'openai':
      // Chat completions: the interface that everything between a caller and OpenAI understands.
      return createOpenAI({ fetch, apiKey: apiKey ?? NO_KEY, ...(baseURL !== undefined && { baseURL }) }).chat(name);
    case 'openai-compatible':
      return createOpenAICompatible({
        name: provider,
        baseURL: baseURL ?? '',
        fetch,
        includeUsage: true,
        ...(apiKey !== null && { apiKey }),
      })(name);
  }
}
