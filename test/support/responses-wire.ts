import type { JsonObject, JsonValue } from '@app/kernel';
import { pieces, said, type Said, type ScriptedTurn } from './model-wire.js';

let responses = 0;

export function responsesAnswer(model: string, turn: ScriptedTurn): JsonObject {
  const content = said(turn);
  const answer = { ...header(model), status: 'completed', output: outputOf(content, turn) };
  return { ...answer, ...endOf(content, turn) };
}

export function responsesEvents(model: string, turn: ScriptedTurn): string[] {
  const content = said(turn);
  const response = header(model);
  const output = outputOf(content, turn);
  let sequence = 0;
  const event = (type: string, data: JsonObject): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`;
  const end = endOf(content, turn);
  return [
    event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    ...output.flatMap((item, output_index) => [
      event('response.output_item.added', { output_index, item: begun(item) }),
      ...deltasOf(item).map(([type, delta]) =>
        event(type, { item_id: item.id ?? '', output_index, content_index: 0, summary_index: 0, delta }),
      ),
      event('response.output_item.done', { output_index, item }),
    ]),
    event(`response.${end.status}`, { response: { ...response, output, ...end } }),
  ];
}

export function messagesOf(input: JsonValue | undefined): { role: string; content: JsonValue }[] {
  if (!Array.isArray(input)) return [];
  return (input as JsonObject[]).map((item) => ({
    role: typeof item.role === 'string' ? item.role : item.type === 'function_call_output' ? 'tool' : 'assistant',
    content: item.content ?? item,
  }));
}

function header(model: string): JsonObject {
  return { id: `resp_${++responses}`, object: 'response', created_at: 1, model };
}

function outputOf({ text, calls }: Said, { reasoning, thought }: ScriptedTurn): JsonObject[] {
  const id = (kind: string, index: number): string => `${kind}_${responses}_${index}`;
  const encrypted = {
    type: 'reasoning',
    id: id('rs', 0),
    summary: summaryOf(thought),
    encrypted_content: reasoning ?? '',
  };
  const content = [{ type: 'output_text', text, annotations: [] }];
  return [
    ...(reasoning === undefined ? [] : [encrypted]),
    ...(text ? [{ type: 'message', id: id('msg', 0), role: 'assistant', status: 'completed', content }] : []),
    ...calls.map((call, index) => ({
      type: 'function_call',
      id: id('fc', index),
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
      status: 'completed',
    })),
  ];
}

function summaryOf(thought: string | undefined): JsonObject[] {
  return thought === undefined ? [] : [{ type: 'summary_text', text: thought }];
}

function begun(item: JsonObject): JsonObject {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] };
  if (item.type === 'reasoning') return { ...item, summary: [], encrypted_content: null };
  return item.type === 'function_call' ? { ...item, status: 'in_progress', arguments: '' } : item;
}

function deltasOf(item: JsonObject): [type: string, delta: string][] {
  if (item.type === 'function_call')
    return pieces(item.arguments as string).map((delta) => ['response.function_call_arguments.delta', delta]);
  if (item.type === 'reasoning')
    return (item.summary as { text: string }[]).flatMap(({ text }) =>
      pieces(text).map((delta): [string, string] => ['response.reasoning_summary_text.delta', delta]),
    );
  const [part] = item.type === 'message' ? (item.content as { text: string }[]) : [];
  return pieces(part?.text ?? '').map((delta) => ['response.output_text.delta', delta]);
}

function endOf(
  { usage: { input, output, cacheRead = 0, cacheWrite, reasoning = 0 } }: Said,
  { finish, uncounted }: ScriptedTurn,
) {
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite && { cache_write_tokens: cacheWrite }) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
  return {
    status: finish === undefined ? 'completed' : 'incomplete',
    incomplete_details: finish === undefined ? null : { reason: finish },
    ...(!uncounted && { usage }),
  };
}
