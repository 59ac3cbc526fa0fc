import { isJsonObject } from '@app/kernel';
import { jsonSchema, type ModelMessage, tool, type ToolSet } from 'ai';
import type { Prompt, PromptMessage } from '../interpreter/prompt.js';

/** Text that replaces an empty message, because providers reject messages without content. */
const NOTHING_SAID = '(no answer)';

/** Converts a conversation to the messages of the AI SDK. */
export function promptMessages(messages: readonly PromptMessage[]): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case 'user':
        return { role: 'user', content: message.text };
      case 'assistant': {
        const calls = message.calls.map(({ id, name, input }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: name,
          // Many servers reject arguments that are not an object, also in the calls of earlier turns.
          input: isJsonObject(input) ? input : { invalid_arguments: input },
        }));
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

/** Returns the tools without `execute`. The library then returns the requested calls instead of executing them. */
export function promptTools({ tools }: Prompt): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [name, tool({ description, inputSchema: jsonSchema(schema) })]),
  );
}
