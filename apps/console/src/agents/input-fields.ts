import { jsonOrText } from '../data/json-or-text.js';
import { type FileRule, fileRule } from '../files/file-rule.js';
import { labelText } from '../data/texts.js';
import { keysAt } from '../data/yaml-place.js';

/** One property of the run input, as its JSON Schema describes it. */
export interface InputField {
  name: string;
  label: string;
  hint?: string;
  isRequired: boolean;
  kind: 'text' | 'number' | 'choice' | 'texts' | 'file' | 'files' | 'json';
  /** Allowed values of a select field. Empty for every other kind of field. */
  options: readonly unknown[];
  /** What a field for files allows. */
  rule?: FileRule;
}

interface Schema {
  type?: unknown;
  title?: unknown;
  description?: unknown;
  enum?: unknown;
  $ref?: unknown;
  items?: Schema;
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
  const fields = Object.entries(properties).map(([name, given]) => {
    const { title, description, ...property } = resolved(schema, given);
    const items = property.items && resolved(schema, property.items);
    const shape = shapeOf({ ...property, items });
    const members = shape.kind === 'json' ? membersText(schema, property.properties ?? items?.properties) : '';
    const hint = [typeof description === 'string' ? description : '', members].filter(Boolean).join(' ');
    return {
      name,
      label: typeof title === 'string' ? title : labelText(name),
      ...(hint !== '' && { hint }),
      isRequired: needed.has(name),
      ...shape,
    };
  });
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

/** Returns the schema with what its `$ref` points to inside the same document. */
function resolved(root: unknown, schema: Schema): Schema {
  const { $ref: reference } = schema;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
  const target = reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined), root);
  return typeof target === 'object' && target !== null ? { ...target, ...schema } : schema;
}

/** Names the members of a JSON value, if the schema says what they are called. */
function membersText(root: unknown, properties: Record<string, Schema> = {}): string {
  const members = Object.entries(properties).map(([name, given]) => [name, resolved(root, given).title] as const);
  if (members.every(([, title]) => typeof title !== 'string')) return '';
  return `Members: ${members.map(([name, title]) => (typeof title === 'string' ? `${name} (${title})` : name)).join(', ')}.`;
}

function shapeOf(schema: Schema): Pick<InputField, 'kind' | 'options' | 'rule'> {
  const { type: types, enum: values, items } = schema;
  const [file, files] = [fileRule(schema), fileRule(items)];
  if (file) return { kind: 'file', options: [], rule: file };
  if (files) return { kind: 'files', options: [], rule: files };
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

/** Returns an input in which a person replaces the values, for example `{ order: '<Order number>' }`. */
export function exampleInput(fields: readonly InputField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => (isPlain(field) ? [[field.name, exampleOf(field)] as const] : [])),
  );
}

/** An optional file is left out, because a command cannot contain it. */
function isPlain({ rule, isRequired }: InputField): boolean {
  return rule === undefined || isRequired;
}

function exampleOf({ kind, label, options }: InputField): unknown {
  if (kind === 'choice') return options[0];
  if (kind === 'number') return 0;
  if (kind === 'json') return {};
  const value = kind === 'file' || kind === 'files' ? { file: '<file id>' } : `<${label}>`;
  return kind === 'texts' || kind === 'files' ? [value] : value;
}

/** Converts the input of a run to the texts of the form fields. The reverse of {@link inputOf}. */
export function textsOf(fields: readonly InputField[], input: unknown): Record<string, string> {
  const values = (input ?? {}) as Record<string, unknown>;
  return Object.fromEntries(fields.map(({ name, kind }) => [name, textOf(kind, values[name])]));
}

function textOf(kind: InputField['kind'], value: unknown): string {
  if (value === undefined || value === null) return '';
  if (kind === 'texts' && Array.isArray(value)) return value.join('\n');
  return optionText(value);
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
