import type { JsonObject, JsonValue } from '@app/kernel';
import { pieces, said, type ScriptedTurn } from './model-wire.js';

export function googleAnswer(_model: string, turn: ScriptedTurn): JsonObject {
  const { text, calls, usage } = said(turn);
  const parts = [
    ...thoughtOf(turn),
    ...(text ? [{ text }] : []),
    ...calls.map((call, index) => callPart(call, index, turn)),
  ];
  return chunk(parts, turn, usage);
}

export function googleEvents(_model: string, turn: ScriptedTurn): string[] {
  const { text, calls, usage } = said(turn);
  const event = (data: JsonObject): string => `data: ${JSON.stringify(data)}\n\n`;
  return [
    ...thoughtOf(turn).map((part) => event(chunk([part]))),
    ...pieces(text).map((piece) => event(chunk([{ text: piece }]))),
    ...calls.map((call, index) => event(chunk([callPart(call, index, turn)]))),
    event(chunk([], turn, usage)),
  ];
}

function thoughtOf({ thought }: ScriptedTurn): JsonObject[] {
  return thought === undefined ? [] : [{ text: thought, thought: true }];
}

/** Gemini signs only the first call of a response. */
function callPart(
  { name, input }: { name: string; input: JsonValue },
  index: number,
  { reasoning }: ScriptedTurn,
): JsonObject {
  const functionCall = { name, args: input };
  return { functionCall, ...(index === 0 && reasoning !== undefined && { thoughtSignature: reasoning }) };
}

function chunk(parts: JsonObject[], turn?: ScriptedTurn, usage?: { input: number; output: number }): JsonObject {
  const content = { role: 'model', parts };
  return {
    candidates: [{ index: 0, content, ...(turn && { finishReason: turn.finish ?? 'STOP' }) }],
    ...(usage &&
      !turn?.uncounted && {
        usageMetadata: {
          promptTokenCount: usage.input,
          candidatesTokenCount: usage.output,
          totalTokenCount: usage.input + usage.output,
        },
      }),
  };
}
