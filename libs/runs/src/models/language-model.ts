import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { exactJsonText, type JsonObject } from '@app/kernel';
import type { ModelProvider } from '@app/platform/models';
import {
  defaultSettingsMiddleware,
  type LanguageModel,
  type LanguageModelMiddleware,
  simulateStreamingMiddleware,
  wrapLanguageModel,
} from 'ai';
import { withGoogleToken } from './google-token.js';
import { vendorModel } from './vendor-models.js';

type Fetch = typeof fetch;

/**
 * Placeholder for the API key of a provider that needs none. Without it, the provider libraries read a key from the
 * environment.
 */
const NO_KEY = 'none';

/** OpenAI and Azure keep no response. The encrypted reasoning comes with the response instead. */
const KEEPS_NOTHING = { store: false, include: ['reasoning.encrypted_content'] };
const STATELESS = { openai: KEEPS_NOTHING, azure: KEEPS_NOTHING };

/** The libraries otherwise send the schema to some models as a tool that the model must call. */
const AS_OUTPUT_FORMAT = { structuredOutputMode: 'outputFormat' };

/** Thrown and caught only in this file. */
class AnsweredAtOnce extends Error {
  override readonly name = 'AnsweredAtOnce';
}

/**
 * If a provider ignores the request for a stream and sends a complete response, the client uses this response and sends
 * no second request.
 */
export async function languageModel(
  provider: ModelProvider,
  name: string,
  fetch: Fetch,
  answerSchema?: JsonObject,
): Promise<LanguageModel> {
  const send = provider.google ? withGoogleToken(provider.google, fetch) : fetch;
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
  const model = await modelOf(provider, name, streamingFetch);
  const restricted = answerSchema ? [restrictedTo(answerSchema)] : [];
  return wrapLanguageModel({ model, middleware: [...restricted, withExactCalls, middleware] });
}

function restrictedTo(schema: JsonObject): LanguageModelMiddleware {
  const providerOptions = { anthropic: AS_OUTPUT_FORMAT, bedrock: AS_OUTPUT_FORMAT };
  return defaultSettingsMiddleware({
    settings: { responseFormat: { type: 'json', schema, name: 'answer' }, providerOptions },
  });
}

/** The library parses the arguments of calls, and would round integers beyond 2^53. */
const withExactCalls: LanguageModelMiddleware = {
  specificationVersion: 'v3',
  wrapStream: async ({ doStream }) => {
    const { stream, ...rest } = await doStream();
    return { ...rest, stream: stream.pipeThrough(exactCalls()) };
  },
};

function exactCalls(): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  return new TransformStream({
    transform: (part, controller) =>
      controller.enqueue(part.type === 'tool-call' ? { ...part, input: exactArguments(part.input) } : part),
  });
}

function exactArguments(text: string): string {
  const exact = exactJsonText(text);
  if (exact === text) return text;
  try {
    JSON.parse(text);
    return exact;
  } catch {
    return text;
  }
}

async function modelOf(profile: ModelProvider, name: string, fetch: Fetch): Promise<LanguageModelV3> {
  const { type, api, name: provider, baseUrl, apiKey } = profile;
  const baseURL = baseUrl ?? undefined;
  switch (type) {
    case 'anthropic':
      return createAnthropic({ fetch, apiKey: apiKey ?? NO_KEY, ...(baseURL !== undefined && { baseURL }) })(name);
    case 'openai': {
      const openai = createOpenAI({ fetch, apiKey: apiKey ?? NO_KEY, ...(baseURL !== undefined && { baseURL }) });
      return api === 'responses' ? responsesModel(openai.responses(name)) : openai.chat(name);
    }
    case 'openai-compatible':
      return createOpenAICompatible({
        name: provider,
        baseURL: baseURL ?? '',
        fetch,
        includeUsage: true,
        supportsStructuredOutputs: true,
        ...(apiKey !== null && { apiKey }),
      })(name);
    default: {
      const model = await vendorModel(profile, name, fetch);
      return type === 'azure' && api === 'responses' ? responsesModel(model) : model;
    }
  }
}

function responsesModel(model: LanguageModelV3): LanguageModelV3 {
  const withLooseTools: LanguageModelMiddleware = {
    specificationVersion: 'v3',
    // Without `strict`, the Responses API makes every optional argument of a tool required.
    transformParams: ({ params }) =>
      Promise.resolve({
        ...params,
        ...(params.tools && {
          tools: params.tools.map((tool) => (tool.type === 'function' ? { ...tool, strict: false } : tool)),
        }),
      }),
  };
  const settings = defaultSettingsMiddleware({ settings: { providerOptions: STATELESS } });
  return wrapLanguageModel({ model, middleware: [settings, withLooseTools] });
}
