import type { CacheMode } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import type { ModelProvider } from '@app/platform/models';
import type { Prompt, PromptMessage } from '../interpreter/prompt.js';
import { inStoredOrder } from '../interpreter/stored-order.js';
import { usesChatCompletions } from './provider-quirks.js';
import { isClaudeOf } from './request-params.js';
import type { TurnCall } from './turn-call.js';

type Options = Record<string, JsonObject>;

export interface PromptCache {
  options: Options;
  breakpoint?: Options;
}

/** The key is a hash, because the provider must not learn the ids of the workspace. */
export function promptCacheKey(workspaceId: string, definitionHash: string): string {
  return sha256(JSON.stringify([workspaceId, definitionHash])).toString('base64url');
}

/**
 * A write to the cache has a price, so `auto` writes only if the model has tools: then further requests with the same
 * prompt are likely.
 */
export function promptCache(
  provider: ModelProvider,
  name: string,
  { params: { cache = 'auto' }, cacheKey }: Pick<TurnCall, 'params' | 'cacheKey'>,
  hasTools: boolean,
): PromptCache {
  const { type, api } = provider;
  if (cache === 'off') return { options: {} };
  if (api === 'responses') {
    const key = cacheKey === undefined ? undefined : { promptCacheKey: cacheKey };
    return { options: key ? { openai: key, azure: key } : {} };
  }
  if (!isClaudeOf(provider, name) || (cache === 'auto' && !hasTools)) return { options: {} };
  const time = timeOf(cache);
  const breakpoint: Options =
    type === 'anthropic'
      ? { anthropic: { cacheControl: { type: 'ephemeral', ...time } } }
      : { bedrock: { cachePoint: { type: 'default', ...time } } };
  return { options: {}, breakpoint };
}

function timeOf(cache: CacheMode): JsonObject {
  return cache === 'auto' ? {} : { ttl: cache };
}

export function mergedOptions(first: Options, second: Options): Options {
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return Object.fromEntries(names.map((name) => [name, { ...first[name], ...second[name] }]));
}

/** Chat Completions keep the order of the tools, as in earlier releases. */
export function repeatablePrompt(provider: ModelProvider, prompt: Prompt): Prompt {
  const isRepeatable = !usesChatCompletions(provider);
  const messages = prompt.messages.map((message): PromptMessage => {
    if (message.role === 'user') {
      const { stored, ...asked } = message;
      return { ...asked, text: isRepeatable ? (stored ?? asked.text) : asked.text };
    }
    if (message.role === 'assistant' || !isRepeatable) return message;
    const results = message.results.map((each) => ({ ...each, value: inStoredOrder(each.value) as JsonObject }));
    return { ...message, results };
  });
  return { ...prompt, messages };
}
