import type { SchemaValidator } from '@app/definition';
import type { JsonValue } from '@app/kernel';

/** What a model answered, or why it cannot be used. */
export type Answer = { value: JsonValue } | { problem: string };

const FENCED = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i;

/** The answer in the form that the schema asks for; without a schema it is the text itself, as `{text}`. */
export function readAnswer(text: string, schema: SchemaValidator | null): Answer {
  if (!schema) return { value: { text } };
  const value = jsonIn(text);
  if (value === undefined) return { problem: 'It is not JSON.' };
  const misfit = schema.validate(value)[0];
  if (misfit) return { problem: `It does not fit the schema at ${misfit.pointer || 'its root'}: ${misfit.detail}` };
  return { value };
}

/** JSON by itself, or alone in a fence of Markdown, which many models cannot do without. */
function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(FENCED.exec(text)?.[1] ?? text) as JsonValue;
  } catch {
    return undefined;
  }
}
