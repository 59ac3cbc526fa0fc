import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { ModelProvider } from '@app/platform/models';
import { tokenCount } from './turn-cost.js';
import { reportedError } from './reported-error.js';

export function usesChatCompletions({ type, api }: Pick<ModelProvider, 'type' | 'api'>): boolean {
  return type === 'openai-compatible' || api === 'chat';
}

/**
 * The provider libraries reject such bodies as a whole. Returns undefined if the event must be ignored.
 * @throws ReportedError if the provider reports an error
 */
export function repaired(body: JsonValue, isChat: boolean): JsonValue | undefined {
  const error = reportedError(body);
  if (error) throw error;
  if (!isJsonObject(body)) return isChat ? undefined : body;
  return isChat ? chatBody(body) : countedBody(body);
}

const ARGUMENTS = new Set(['args', 'arguments', 'input']);

/** The library gets all other numbers as they are, because it checks their types. */
export function withExactArguments(body: JsonValue, exact: JsonValue | undefined, key = ''): JsonValue {
  if (Array.isArray(body))
    return body.map((item, index) => withExactArguments(item, Array.isArray(exact) ? exact[index] : undefined));
  if (!isJsonObject(body) || !isJsonObject(exact)) return body;
  if (ARGUMENTS.has(key)) return exact;
  return Object.fromEntries(
    Object.entries(body).map(([name, member]) => [name, withExactArguments(member, exact[name], name)]),
  );
}

export function hasRefusal(body: JsonValue): boolean {
  if (!isJsonObject(body)) return false;
  if (body.type === 'response.refusal.delta') return true;
  const items = [body.choices, body.output].flatMap((list) => (Array.isArray(list) ? list.filter(isJsonObject) : []));
  return items.some(({ delta, message, content }) => {
    const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
    return [delta, message, ...parts].some(
      (part) => isJsonObject(part) && typeof part.refusal === 'string' && part.refusal !== '',
    );
  });
}

/** Its token counts may be in a response or a message inside it. */
function countedBody(body: JsonObject): JsonObject {
  const counted = (value: JsonValue | undefined): JsonObject =>
    isJsonObject(value) && isJsonObject(value.usage) ? { ...value, usage: counts(value.usage) } : {};
  const { message, response } = body;
  return {
    ...body,
    ...counted(body),
    ...(isJsonObject(message) && { message: { ...message, ...counted(message) } }),
    ...(isJsonObject(response) && { response: { ...response, ...counted(response) } }),
  };
}

/** Returns only the members that are used, because a library rejects the body if any other one has a wrong type. */
function chatBody({ id, model, created, choices, usage }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(choices) && !isJsonObject(usage)) return undefined;
  return {
    id: textOrNull(id),
    model: textOrNull(model),
    created: typeof created === 'number' ? created : null,
    choices: Array.isArray(choices) ? choices.filter(isJsonObject).map(chatChoice) : [],
    usage: isJsonObject(usage) ? chatUsage(counts(usage)) : null,
  };
}

function chatChoice({ index, delta, message, finish_reason: finish }: JsonObject, position: number): JsonObject {
  return {
    index: typeof index === 'number' ? index : position,
    ...(delta !== undefined && { delta: isJsonObject(delta) ? chatMessage(delta) : null }),
    ...(message !== undefined && { message: isJsonObject(message) ? chatMessage(message) : {} }),
    finish_reason: textOrNull(finish) || null,
  };
}

function chatMessage({ role, content, refusal, tool_calls: calls, ...message }: JsonObject): JsonObject {
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const thinking = parts.flatMap((part) => (Array.isArray(part.thinking) ? part.thinking.filter(isJsonObject) : []));
  const reasoning = textOrNull(message.reasoning_content) ?? textOrNull(message.reasoning) ?? textOf(thinking);
  return {
    ...(role === 'assistant' && { role }),
    content: Array.isArray(content) ? textOf(parts) : textOrNull(content),
    ...(typeof refusal === 'string' && { refusal }),
    ...(reasoning && { reasoning_content: reasoning }),
    ...(Array.isArray(calls) && { tool_calls: calls.filter(isJsonObject).map(chatCall) }),
  };
}

function textOf(parts: readonly JsonObject[]): string {
  return parts.map(({ text }) => textOrNull(text) ?? '').join('');
}

function chatCall({ index, id, function: called }: JsonObject, position: number): JsonObject {
  const { name, arguments: args } = isJsonObject(called) ? called : {};
  return {
    index: typeof index === 'number' ? index : position,
    ...((typeof id === 'string' || typeof id === 'number') && { id: String(id) }),
    type: 'function',
    function: {
      name: textOrNull(name) ?? '',
      arguments: typeof args === 'string' ? args : args ? JSON.stringify(args) : '',
    },
  };
}

/** The library would take it for zero, and the cost would look complete. */
function chatUsage({ prompt_tokens: input, completion_tokens: output, ...usage }: JsonObject): JsonObject | null {
  if (tokenCount(input) === undefined || tokenCount(output) === undefined) return null;
  const detail = (key: string, ...names: string[]): JsonObject => {
    const details = usage[key];
    if (!isJsonObject(details)) return { [key]: null };
    const read = counts(details);
    return { [key]: Object.fromEntries(names.map((name) => [name, tokenCount(read[name]) ?? null])) };
  };
  return {
    prompt_tokens: input ?? null,
    completion_tokens: output ?? null,
    ...detail('prompt_tokens_details', 'cached_tokens', 'cache_write_tokens'),
    ...detail('completion_tokens_details', 'reasoning_tokens'),
  };
}

function counts(usage: JsonObject): JsonObject {
  const read = (value: JsonValue): JsonValue =>
    typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return Object.fromEntries(Object.entries(usage).map(([key, value]) => [key, read(value)]));
}

function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
