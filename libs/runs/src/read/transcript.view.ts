import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { isSealed, shownValue } from '../privacy/sealed-value.js';
import type { RecordedTurn } from './transcripts.repository.js';

export interface TurnAnswer {
  text: string;
  reasoning?: string;
  calls: { id: string; name: string; input: unknown }[];
}

export interface TurnView {
  n: number;
  path: string;
  prompt_n: number | null;
  prompt: JsonObject | null;
  messages: JsonObject[] | null;
  answer: TurnAnswer | null;
  redacted?: true;
}

/** If `turns` contains more than `limit` turns, the result has `next_after_n`. */
export function presentTranscript(run: string, turns: readonly RecordedTurn[], limit: number) {
  const shown = turns.slice(0, limit).map(presentTurn);
  const last = turns.length > limit ? shown.at(-1) : undefined;
  return { run, turns: shown, ...(last && { next_after_n: last.n }) };
}

function presentTurn({ n, path, output, promptN, prompt, added }: RecordedTurn): TurnView {
  const own = promptN === n ? shownValue(prompt) : null;
  const messages = shownValue(added);
  return {
    n,
    path,
    prompt_n: promptN,
    prompt: isJsonObject(own) ? own : null,
    messages: Array.isArray(messages) ? messages.filter(isJsonObject) : null,
    answer: answerOf(shownValue(output)),
    ...([prompt, added, output].some(isSealed) && { redacted: true }),
  };
}

function answerOf(output: JsonValue): TurnAnswer | null {
  if (!isJsonObject(output)) return null;
  const { text, reasoning, calls } = output;
  return {
    text: typeof text === 'string' ? text : '',
    ...(typeof reasoning === 'string' && { reasoning }),
    calls: (Array.isArray(calls) ? calls : []).filter(isJsonObject).map(({ id, name, input = null }) => ({
      id: typeof id === 'string' ? id : '',
      name: typeof name === 'string' ? name : '',
      input,
    })),
  };
}
