import type { LanguageModelV3, LanguageModelV3Message } from '@ai-sdk/provider';
import type { ModelProvider } from '@app/platform/models';
import { sha256 } from '@app/platform/crypto';
import { type LanguageModelMiddleware, wrapLanguageModel } from 'ai';

type Fetch = typeof fetch;

/** Matches the ids of tool calls that Mistral accepts. */
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/;
/** Without a value, the library of AWS reads an API key from the environment. */
const NO_AWS_KEY = '';

/**
 * Creates the model of a vendor whose library is loaded at the first call, because most installations need none of
 * these libraries.
 */
export async function vendorModel(provider: ModelProvider, name: string, fetch: Fetch): Promise<LanguageModelV3> {
  const { type, api, baseUrl, apiKey, aws } = provider;
  const settings = { fetch, apiKey: apiKey ?? 'none', ...(baseUrl !== null && { baseURL: baseUrl }) };
  switch (type) {
    case 'azure': {
      const { createAzure } = await import('@ai-sdk/azure');
      const azure = createAzure(settings);
      return api === 'chat' ? azure.chat(name) : azure.responses(name);
    }
    case 'mistral': {
      const { createMistral } = await import('@ai-sdk/mistral');
      return wrapLanguageModel({ model: createMistral(settings)(name), middleware: withMistralIds });
    }
    case 'bedrock': {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
      const { accessKeyId, secretAccessKey, sessionToken } = aws?.keys ?? {};
      return createAmazonBedrock({
        ...settings,
        apiKey: apiKey ?? NO_AWS_KEY,
        region: aws?.region ?? '',
        ...(accessKeyId !== undefined && { accessKeyId }),
        ...(secretAccessKey !== undefined && { secretAccessKey }),
        ...(sessionToken && { sessionToken }),
      })(name);
    }
    default: {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI(settings)(name);
    }
  }
}

/** Mistral rejects ids of another form, for example those of calls that another model made earlier in the run. */
const withMistralIds: LanguageModelMiddleware = {
  specificationVersion: 'v3',
  transformParams: ({ params }) => Promise.resolve({ ...params, prompt: params.prompt.map(mistralMessage) }),
};

function mistralMessage(message: LanguageModelV3Message): LanguageModelV3Message {
  if (message.role === 'assistant') return { ...message, content: message.content.map(withMistralId) };
  return message.role === 'tool' ? { ...message, content: message.content.map(withMistralId) } : message;
}

function withMistralId<T extends object>(part: T): T {
  if (!('toolCallId' in part) || typeof part.toolCallId !== 'string' || MISTRAL_ID.test(part.toolCallId)) return part;
  return { ...part, toolCallId: sha256(part.toolCallId).toString('hex').slice(0, 9) };
}
