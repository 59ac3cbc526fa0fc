import type { JsonObject, JsonValue } from '@app/kernel';
import { storableText } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import type { SecretRedaction } from '@app/platform/observability';
import { recordable } from '../calls/recorded-value.js';
import type { Prompt, PromptMessage, PromptTool } from '../interpreter/prompt.js';
import type { TurnMessages } from '../records/run-commands.js';
import type { RunTurns } from './run-turns.js';

/** Of the prompt of a turn, and of the messages that it adds, this many characters each are recorded. */
export const MAX_TRACED_CHARACTERS = 256 * 1024;

/**
 * Returns the messages after the last answer of the model, because the trace has the earlier ones with the earlier
 * turns. Returns the prompt only if no earlier turn of this attempt sent the same one.
 * @param prompt as it is sent to the provider
 */
export function turnMessages(
  { n, turns }: { n: number; turns: Pick<RunTurns, 'firstWith'> },
  prompt: Prompt,
  redaction: SecretRedaction,
): TurnMessages {
  const { system, tools, answerSchema, messages } = prompt;
  const promptN = turns.firstWith(sha256(JSON.stringify([system, tools, answerSchema])).toString('base64url'), n);
  const answered = messages.findLastIndex(({ role }) => role === 'assistant');
  const limit = new TracedText(redaction, MAX_TRACED_CHARACTERS);
  const added = messages.slice(answered + 1).flatMap((message) => tracedMessage(message, limit));
  return { promptN, ...(promptN === n && { prompt: tracedPrompt(prompt, redaction) }), added };
}

function tracedPrompt({ system, tools, answerSchema }: Prompt, redaction: SecretRedaction): JsonObject {
  const limit = new TracedText(redaction, MAX_TRACED_CHARACTERS);
  return {
    system: limit.text(system),
    tools: tools.map((tool) => tracedTool(tool, limit)),
    ...(answerSchema && { response_format: limit.value(answerSchema) }),
    ...(limit.isReached && { truncated: true }),
  };
}

function tracedTool({ name, description, schema }: PromptTool, limit: TracedText): JsonObject {
  return { name, description: limit.text(description), input_schema: limit.value(schema) };
}

/** The answers of the model are recorded as the output of their turns. */
function tracedMessage(message: PromptMessage, limit: TracedText): JsonObject[] {
  switch (message.role) {
    case 'assistant':
      return [];
    case 'user': {
      const text = limit.text(message.text);
      return [{ role: 'user', text, ...(limit.isReached && { truncated: true }) }];
    }
    case 'tool':
      return message.results.map(({ id, name, value }) => {
        const result = limit.value(value);
        return { role: 'tool', call: id, name, result, ...(limit.isReached && { truncated: true }) };
      });
  }
}

/** Secrets are redacted before the text is truncated, because a truncated secret would not be recognised. */
class TracedText {
  isReached = false;

  constructor(
    private readonly redaction: SecretRedaction,
    private left: number,
  ) {}

  text(text: string): string {
    const redacted = storableText(this.redaction.text(text));
    if (redacted.length > this.left) this.isReached = true;
    const shown = redacted.slice(0, this.left);
    this.left -= shown.length;
    return shown.toWellFormed();
  }

  /** Of a value beyond the limit, the beginning of its JSON text is recorded. */
  value(value: JsonObject): JsonValue {
    const text = JSON.stringify(value);
    if (text.length > this.left) return this.text(text);
    this.left -= text.length;
    return recordable(value, this.redaction, Infinity);
  }
}
