import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { type AssistantContent, jsonSchema, type ModelMessage, type ProviderMetadata, tool, type ToolSet } from 'ai';
import type { Prompt, PromptMessage } from '../interpreter/prompt.js';
import type { TurnPart } from './turn-call.js';

/** Text that replaces an empty message, because providers reject messages without content. */
const NOTHING_SAID = '(no answer)';

/** Converts a conversation to the messages of the AI SDK. */
export function promptMessages(messages: readonly PromptMessage[]): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case 'user':
        return { role: 'user', content: message.text };
      case 'assistant': {
        const parts = partsOf(message);
        const calls = message.calls.map(({ id, name, input }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: name,
          // Many servers reject arguments that are not an object, also in the calls of earlier turns.
          input: isJsonObject(input) ? input : { invalid_arguments: input },
        }));
        if (parts) return { role: 'assistant', content: statefulContent(parts, calls) };
        const text = message.text || (calls.length === 0 ? NOTHING_SAID : '');
        return { role: 'assistant', content: [...(text ? [{ type: 'text' as const, text }] : []), ...calls] };
      }
      case 'tool':
        return {
          role: 'tool',
          content: message.results.map(({ id, name, value }) => ({
            type: 'tool-result',
            toolCallId: id,
            toolName: name,
            output: { type: 'json', value },
          })),
        };
    }
  });
}

/** Returns the parts of the turn as the provider sent them. Returns undefined if they are not kept. */
function partsOf({ state, calls }: PromptMessage & { role: 'assistant' }): TurnPart[] | undefined {
  if (!Array.isArray(state)) return undefined;
  const parts = state.filter(isPart);
  return parts.filter(({ type }) => type === 'call').length === calls.length ? parts : undefined;
}

function isPart(value: JsonValue): value is JsonObject & TurnPart {
  return isJsonObject(value) && typeof value.type === 'string' && typeof value.text === 'string';
}

function statefulContent<Part>(parts: readonly TurnPart[], calls: readonly Part[]) {
  const left = [...calls];
  return parts.flatMap(({ type, text, options }) => {
    const providerOptions = options as ProviderMetadata | undefined;
    const kept = type === 'call' ? left.shift() : type === 'text' && text === '' ? undefined : { type, text };
    return kept ? [{ ...kept, ...(providerOptions && { providerOptions }) }] : [];
  }) as Exclude<AssistantContent, string>;
}

/** Returns the tools without `execute`. The library then returns the requested calls instead of executing them. */
export function promptTools({ tools }: Prompt): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [name, tool({ description, inputSchema: jsonSchema(schema) })]),
  );
}
