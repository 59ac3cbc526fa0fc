import { crc32 } from 'node:zlib';
import type { JsonObject } from '@app/kernel';
import { pieces, said, type ScriptedTurn } from './model-wire.js';

export function bedrockAnswer(_model: string, turn: ScriptedTurn): JsonObject {
  const { text, calls, usage } = said(turn);
  const content = [
    ...reasoningOf(turn).map((reasoningText) => ({ reasoningContent: { reasoningText } })),
    ...(text ? [{ text }] : []),
    ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ];
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: turn.finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    ...(!turn.uncounted && { usage: countsOf(usage) }),
  };
}

export function bedrockEvents(_model: string, turn: ScriptedTurn): Buffer[] {
  const { text, calls, usage } = said(turn);
  const block = (index: number, start: JsonObject | undefined, deltas: JsonObject[]): Buffer[] => [
    ...(start ? [eventMessage('contentBlockStart', { contentBlockIndex: index, start })] : []),
    ...deltas.map((delta) => eventMessage('contentBlockDelta', { contentBlockIndex: index, delta })),
    eventMessage('contentBlockStop', { contentBlockIndex: index }),
  ];
  const texts = text ? [text] : [];
  const thoughts = reasoningOf(turn);
  const first = thoughts.length;
  const begin = eventMessage('messageStart', { role: 'assistant' });
  if (turn.exception !== undefined) return [begin, exceptionMessage(turn.exception)];
  return [
    begin,
    ...thoughts.flatMap(({ text: thought, signature }) =>
      block(0, undefined, [
        ...pieces(thought).map((piece) => ({ reasoningContent: { text: piece } })),
        { reasoningContent: { signature } },
      ]),
    ),
    ...texts.flatMap((whole) => {
      const deltas = pieces(whole).map((piece) => ({ text: piece }));
      return block(first, undefined, deltas);
    }),
    ...calls.flatMap(({ id, name, arguments: args }, index) => {
      const deltas = pieces(args).map((piece) => ({ toolUse: { input: piece } }));
      return block(first + texts.length + index, { toolUse: { toolUseId: id, name } }, deltas);
    }),
    eventMessage('messageStop', { stopReason: turn.finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn') }),
    ...(turn.uncounted ? [] : [eventMessage('metadata', { usage: countsOf(usage), metrics: { latencyMs: 1 } })]),
  ];
}

function reasoningOf({ reasoning, thought = '' }: ScriptedTurn): { text: string; signature: string }[] {
  return reasoning === undefined ? [] : [{ text: thought, signature: reasoning }];
}

function countsOf({ input, output }: { input: number; output: number }): JsonObject {
  return { inputTokens: input, outputTokens: output, totalTokens: input + output };
}

function eventMessage(event: string, data: JsonObject): Buffer {
  return messageOf({ ':message-type': 'event', ':event-type': event, ':content-type': 'application/json' }, data);
}

function exceptionMessage(type: string): Buffer {
  const message = `scripted ${type}`;
  if (!type.endsWith('Exception'))
    return messageOf({ ':message-type': 'error', ':error-code': type, ':error-message': message }, {});
  return messageOf({ ':exception-type': type, ':message-type': 'exception' }, { message });
}

function messageOf(texts: Record<string, string>, data: JsonObject): Buffer {
  const headers = Buffer.concat(Object.entries(texts).map(header));
  const payload = Buffer.from(JSON.stringify(data));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const message = Buffer.concat([prelude, checksum(prelude), headers, payload]);
  return Buffer.concat([message, checksum(message)]);
}

function header([name, value]: [string, string]): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  const stringType = 7;
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([stringType]), length, text]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
