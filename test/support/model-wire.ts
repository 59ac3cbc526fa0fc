import type { JsonObject, JsonValue } from '@app/kernel';

/** Response of the server to one request. The default response is the text `ok`. */
export interface ScriptedTurn {
  text?: string;
  calls?: { name: string; input: JsonValue | string }[];
  /** Encrypted or signed reasoning. Chat Completions have none. */
  reasoning?: string;
  thought?: string;
  /** Numbers of tokens. `input` includes the cached ones, `output` the reasoning. */
  usage?: ScriptedUsage;
  uncounted?: boolean;
  /** Value of OpenAI's `finish_reason` instead of the usual one. */
  finish?: string;
  exception?: string;
  /** HTTP status of an error response. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Response body that is sent unchanged, instead of one in the wire format. */
  raw?: string;
  cut?: boolean;
  /** Size of the response in bytes. */
  bytes?: number;
  /**
   * True to send the first half of the response and then wait until `release` is called. With `twice`, the server also
   * waits before the last event.
   */
  hang?: boolean | 'twice';
  whole?: boolean;
  delayMillis?: number;
}

export interface ScriptedUsage {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  reasoning?: number;
}

const USAGE = { input: 100, output: 10 };

export interface Said {
  text: string;
  calls: { id: string; name: string; arguments: string; input: JsonValue }[];
  usage: ScriptedUsage;
}

let calls = 0;

export function said({ text, calls: scripted = [], usage = USAGE }: ScriptedTurn): Said {
  return {
    text: text ?? (scripted.length === 0 ? 'ok' : ''),
    calls: scripted.map(({ name, input }) => ({
      id: `call_${++calls}`,
      name,
      input,
      arguments: typeof input === 'string' ? input : JSON.stringify(input),
    })),
    usage,
  };
}

export function openaiAnswer(model: string, turn: ScriptedTurn): JsonObject {
  const { text, calls, usage } = said(turn);
  const toolCalls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  const message = { role: 'assistant', content: text || null, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: toolCalls.length > 0 ? 'tool_calls' : 'stop' }],
    usage: chatUsage(usage),
  };
}

export function openaiEvents(model: string, turn: ScriptedTurn): string[] {
  const { text, calls, usage } = said(turn);
  const chunk = (choices: JsonValue[], more: JsonObject = {}): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`;
  const delta = (content: JsonObject): string => chunk([{ index: 0, delta: content, finish_reason: null }]);
  const finish = turn.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  return [
    delta({ role: 'assistant', content: '' }),
    ...pieces(text).map((content) => delta({ content })),
    ...calls.flatMap(({ id, name, arguments: args }, index) => [
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(args).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk([{ index: 0, delta: {}, finish_reason: finish }]),
    ...(turn.uncounted ? [] : [chunk([], { usage: chatUsage(usage) })]),
    'data: [DONE]\n\n',
  ];
}

export function anthropicAnswer(model: string, turn: ScriptedTurn): JsonObject {
  const { text, calls, usage } = said(turn);
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...thinkingOf(turn),
      ...(text ? [{ type: 'text', text }] : []),
      ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { ...messageUsage(usage), output_tokens: usage.output },
  };
}

export function anthropicEvents(model: string, turn: ScriptedTurn): string[] {
  const { text, calls, usage } = said(turn);
  const event = (type: string, data: JsonObject): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...messageUsage(usage), output_tokens: 1 },
  };
  const block = (index: number, content_block: JsonObject, deltas: JsonObject[]): string[] => [
    event('content_block_start', { index, content_block }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
  const textBlocks = text ? [text] : [];
  const thoughts = thinkingOf(turn);
  const begin = thoughts.length;
  return [
    event('message_start', { message }),
    ...thoughts.flatMap(({ thinking, signature }) =>
      block(0, { type: 'thinking', thinking: '', signature: '' }, [
        ...pieces(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        { type: 'signature_delta', signature },
      ]),
    ),
    ...textBlocks.flatMap((whole) =>
      block(
        begin,
        { type: 'text', text: '' },
        pieces(whole).map((piece) => ({ type: 'text_delta', text: piece })),
      ),
    ),
    ...calls.flatMap(({ id, name, arguments: args }, index) =>
      block(
        begin + textBlocks.length + index,
        { type: 'tool_use', id, name, input: {} },
        pieces(args).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
    ),
    event('message_delta', {
      delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: {
        output_tokens: usage.output,
        ...(usage.reasoning && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
      },
    }),
    event('message_stop', {}),
  ];
}

function thinkingOf({
  reasoning,
  thought = '',
}: ScriptedTurn): { type: string; thinking: string; signature: string }[] {
  return reasoning === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: reasoning }];
}

function chatUsage({ input, output, cacheRead, cacheWrite, reasoning }: ScriptedUsage): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cacheRead && {
      prompt_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite && { cache_write_tokens: cacheWrite }) },
    }),
    ...(reasoning && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

/** Anthropic reports cached tokens beside `input_tokens`, not as a part of them. */
function messageUsage({ input, cacheRead = 0, cacheWrite = 0 }: ScriptedUsage): JsonObject {
  return {
    input_tokens: input - cacheRead - cacheWrite,
    ...(cacheRead && { cache_read_input_tokens: cacheRead }),
    ...(cacheWrite && { cache_creation_input_tokens: cacheWrite }),
  };
}

/** Splits a text into the parts that the stream sends as separate events. */
export function pieces(text: string): string[] {
  const length = Math.max(1, Math.ceil(text.length / 4));
  return text === ''
    ? []
    : Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
        text.slice(index * length, (index + 1) * length),
      );
}
