import type { ModelProvider } from '@app/platform/models';
import type { Prompt } from '../interpreter/prompt.js';

export function withResponseFormat(provider: ModelProvider, name: string, prompt: Prompt): Prompt {
  const { structured } = prompt;
  if (!structured || !hasResponseFormat(provider, name)) return prompt;
  return { ...prompt, system: structured.system, answerSchema: structured.schema };
}

function hasResponseFormat({ type, api, baseUrl, models }: ModelProvider, name: string): boolean {
  if (!models.get(name)?.structuredOutput) return false;
  // The library asks the other models of Bedrock for a call of a tool.
  if (type === 'bedrock') return name.includes('anthropic');
  // `api: chat` restores the requests of the releases before the Responses API.
  return !(type === 'openai' && api === 'chat' && baseUrl === null);
}
