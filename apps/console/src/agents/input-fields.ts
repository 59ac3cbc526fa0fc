import { jsonOrText } from '../data/json-or-text.js';
import { keysAt } from '../data/yaml-place.js';

/** One property of the run input, as its JSON Schema describes it. */
export interface InputField {
  name: string;
  label: string;
  hint?: string;
  isRequired: boolean;
  kind: 'text' | 'number' | 'choice' | 'texts' | 'json';
  /** Allowed values of a select field. Empty for every other kind of field. */
  options: readonly unknown[];
}

interface Schema {
  type?: unknown;
  title?: unknown;
  description?: unknown;
  enum?: unknown;
  items?: { type?: unknown };
  properties?: Record<string, Schema>;
  required?: unknown;
}

/**
 * Returns one form field for each property of the schema: first the required ones, each group in the order of `names`,
 * by default the order of the schema. Returns undefined if the schema lists no properties.
 */
export function inputFields(schema: unknown, names: readonly string[] = []): InputField[] | undefined {
  const { properties, required } = (schema ?? {}) as Schema;
  if (properties === undefined) return undefined;
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const place = ({ name, isRequired }: InputField): number =>
    (isRequired ? 0 : names.length + 1) + (names.includes(name) ? names.indexOf(name) : names.length);
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    label: typeof property.title === 'string' ? property.title : name,
    ...(typeof property.description === 'string' && { hint: property.description }),
    isRequired: needed.has(name),
    ...shapeOf(property),
  }));
  return fields.sort((one, other) => place(one) - place(other));
}

/**
 * Returns the names of the input properties in the order of the definition text. A parsed definition of the API has lost
 * this order.
 */
export function inputOrder(definition: string): string[] {
  const parsed = jsonOrText(definition) as { input?: Schema };
  if (typeof parsed === 'string') return keysAt(definition, ['input', 'properties']);
  return Object.keys(parsed.input?.properties ?? {});
}

function shapeOf({ type: types, enum: values, items }: Schema): Pick<InputField, 'kind' | 'options'> {
  // If the schema lists several types, the first type that is not `null` determines the field.
  const type = Array.isArray(types) ? (types as unknown[]).find((each) => each !== 'null') : types;
  if (Array.isArray(values)) return { kind: 'choice', options: values as unknown[] };
  if (type === 'boolean') return { kind: 'choice', options: [true, false] };
  if (type === 'string') return { kind: 'text', options: [] };
  if (type === 'number' || type === 'integer') return { kind: 'number', options: [] };
  if (type === 'array' && items?.type === 'string') return { kind: 'texts', options: [] };
  return { kind: 'json', options: [] };
}

/**
 * Converts the texts of the form fields to the input of a run. Omits empty fields. A text that does not fit its field
 * is passed on as it is, and the API reports the error.
 */
export function inputOf(
  fields: readonly InputField[],
  texts: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = texts[field.name] ?? '';
      return text === '' ? [] : [[field.name, valueOf(field, text)] as const];
    }),
  );
}

export function optionText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function valueOf({ kind, options }: InputField, text: string): unknown {
  if (kind === 'text') return text;
  if (kind === 'texts') return text.split('\n').filter((line) => line !== '');
  if (kind === 'choice') return options.find((option) => optionText(option) === text) ?? text;
  return jsonOrText(text);
}
