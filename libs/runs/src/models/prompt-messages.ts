import { isJsonObject } from '@app/kernel';
import {
  type AssistantContent,
  jsonSchema,
  type ModelMessage,
  type ProviderMetadata,
  tool,
  type ToolSet,
  type UserContent,
} from 'ai';
import type { Prompt, PromptMessage } from '../interpreter/prompt.js';
import type { TurnPart } from './run-turns.js';
import type { FileContent, ShownFiles } from './shown-files.service.js';
import type { SentParts } from './turn-states.js';

/** Text that replaces an empty message, because providers reject messages without content. */
const NOTHING_SAID = '(no answer)';

/** @param sent the parts of the turns that go back as the provider sent them */
export function promptMessages(
  messages: readonly PromptMessage[],
  sent: SentParts = new Map(),
  shown: ShownFiles['contents'] = new Map(),
): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case 'user':
        return { role: 'user', content: userContent(message, shown) };
      case 'assistant': {
        const parts = message.turn === undefined ? undefined : sent.get(message.turn);
        const calls = message.calls.map(({ id, name, input }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: name,
          // Many servers reject arguments that are not an object, also in the calls of earlier turns.
          input: isJsonObject(input) ? input : { invalid_arguments: input },
        }));
        if (parts && callsIn(parts) === calls.length)
          return { role: 'assistant', content: statefulContent(parts, calls) };
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

function userContent(
  { text, files = [] }: PromptMessage & { role: 'user' },
  shown: ShownFiles['contents'],
): UserContent {
  if (files.length === 0) return text;
  const named = files.flatMap(({ id, filename }, index) => {
    const label = textPart(`File ${index + 1}: ${filename}`);
    const content = shown.get(id);
    return content ? [label, ...fileParts(content, index + 1)] : [label];
  });
  return [textPart(text), ...named];
}

function fileParts(content: FileContent, number: number): Exclude<UserContent, string> {
  if ('bytes' in content) {
    const { bytes: data, mediaType } = content;
    // Amazon Bedrock accepts few characters in the name of a document, and no name twice.
    return [{ type: 'file', data, mediaType, filename: `file-${number}.${mediaType.split('/')[1]}` }];
  }
  // Providers reject a text without characters.
  const { text, isTruncated } = content;
  const rest = isTruncated ? [textPart(`(File ${number} is longer than what is shown.)`)] : [];
  return [...(text === '' ? [] : [textPart(text)]), ...rest];
}

function textPart(text: string): { type: 'text'; text: string } {
  return { type: 'text', text };
}

function callsIn(parts: readonly TurnPart[]): number {
  return parts.filter(({ type }) => type === 'call').length;
}

function statefulContent<Part>(parts: readonly TurnPart[], calls: readonly Part[]) {
  const left = [...calls];
  return parts.flatMap(({ type, text, options }) => {
    const providerOptions = options as ProviderMetadata | undefined;
    const kept = type === 'call' ? left.shift() : type === 'text' && text === '' ? undefined : { type, text };
    return kept ? [{ ...kept, ...(providerOptions && { providerOptions }) }] : [];
  }) as Exclude<AssistantContent, string>;
}

/** The library then returns the requested calls instead of executing them. */
export function promptTools({ tools }: Prompt): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [name, tool({ description, inputSchema: jsonSchema(schema) })]),
  );
}
