import { formatCount } from '../ui/format-values.js';
import { type InputField, inputFields, inputOf } from '../agents/input-fields.js';

/**
 * A field of a form. `pointer` is the JSON Pointer of its value. A field of kind `pairs` edits an object whose values
 * are strings, with one line `Name: value` for each key.
 */
export interface FormField extends Omit<InputField, 'kind'> {
  pointer: string;
  kind: InputField['kind'] | 'pairs' | 'switch';
  /** State of a switch that nobody has moved. */
  isOnByDefault?: boolean;
  /** Whether the value is a reference to a secret. */
  isSecret?: boolean;
}

export interface FormGroup {
  name: string;
  label: string;
  pointer: string;
  fields: readonly FormField[];
}

export type FormEntry = FormField | FormGroup;

/** Text of each field, by the JSON Pointer of its value. */
export type FormTexts = Readonly<Record<string, string>>;

interface Schema {
  type?: unknown;
  default?: unknown;
  pattern?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
}

/** Creates a field for each property of the schema, and a group for each object with properties. */
export function formOf(schema: unknown): FormEntry[] {
  return fieldsOf(schema, '').map(({ field, property }) => {
    if (property.properties === undefined) return field;
    const { name, label, pointer } = field;
    return { name, label, pointer, fields: fieldsOf(property, pointer).map((inner) => inner.field) };
  });
}

function fieldsOf(schema: unknown, at: string): { field: FormField; property: Schema }[] {
  const { properties = {} } = (schema ?? {}) as Schema;
  return (inputFields(schema) ?? []).map((field) => {
    const property = properties[field.name] ?? {};
    const kind = isPairs(property) ? 'pairs' : property.type === 'boolean' ? 'switch' : field.kind;
    const pointer = `${at}/${field.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const { hint: description = '', ...rest } = field;
    const hint = hintOf(property, kind, { ...field, description });
    const marks = {
      ...(kind === 'switch' && { isOnByDefault: property.default === true }),
      ...(isSecret(property) && { isSecret: true }),
    };
    return { field: { ...rest, pointer, kind, ...marks, ...(hint !== '' && { hint }) }, property };
  });
}

function isPairs({ type, properties, additionalProperties }: Schema): boolean {
  return type === 'object' && properties === undefined && typeof additionalProperties === 'object';
}

function hintOf(
  property: Schema,
  kind: FormField['kind'],
  { description, isRequired }: { description: string; isRequired: boolean },
): string {
  return [
    description,
    isSecret(property) ? 'A secret of the workspace.' : '',
    kind === 'texts' ? 'One entry a line.' : '',
    kind === 'pairs' ? 'One `Name: value` a line.' : '',
    isRequired ? 'Required.' : '',
    defaultText(kind, property.default),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function isSecret({ pattern }: Schema): boolean {
  return typeof pattern === 'string' && pattern.includes('secrets');
}

function defaultText(kind: FormField['kind'], value: unknown): string {
  if (kind === 'switch') return `Default: ${value === true ? 'on' : 'off'}.`;
  return isPlain(value) ? `Default: ${typeof value === 'number' ? formatCount(value) : String(value)}.` : '';
}

function isPlain(value: unknown): value is string | number | boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
}

export function isGroup(entry: FormEntry): entry is FormGroup {
  return 'fields' in entry;
}

/** Converts a value, such as the configuration of a source, to the texts of the form fields. */
export function textsOf(entries: readonly FormEntry[], value: unknown): Record<string, string> {
  const members = (value ?? {}) as Record<string, unknown>;
  return Object.assign(
    {},
    ...entries.map((entry) =>
      isGroup(entry)
        ? textsOf(entry.fields, members[entry.name])
        : { [entry.pointer]: textOf(entry.kind, members[entry.name]) },
    ),
  ) as Record<string, string>;
}

function textOf(kind: FormField['kind'], value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'texts' && Array.isArray(value)) return value.map(String).join('\n');
  if (kind === 'pairs')
    return Object.entries(value)
      .map(([name, text]) => `${name}: ${String(text)}`)
      .join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Converts the texts of the form fields to a value. Omits empty fields, so that the service uses its defaults. */
export function valueOfForm(entries: readonly FormEntry[], texts: FormTexts): Record<string, unknown> {
  return Object.fromEntries(
    entries.flatMap((entry): [string, unknown][] => {
      if (!isGroup(entry)) return memberOf(entry, texts);
      const inner = valueOfForm(entry.fields, texts);
      return Object.keys(inner).length === 0 ? [] : [[entry.name, inner]];
    }),
  );
}

/**
 * Returns the changed fields as a JSON Merge Patch. An emptied field becomes null, and the service uses its default.
 */
export function patchOfForm(
  entries: readonly FormEntry[],
  before: FormTexts,
  after: FormTexts,
): Record<string, unknown> {
  return Object.fromEntries(
    entries.flatMap((entry): [string, unknown][] => {
      if (isGroup(entry)) {
        const inner = patchOfForm(entry.fields, before, after);
        return Object.keys(inner).length === 0 ? [] : [[entry.name, inner]];
      }
      const [old = '', text = ''] = [before[entry.pointer], after[entry.pointer]];
      if (old === text) return [];
      if (text === '') return [[entry.name, null]];
      if (entry.kind !== 'pairs') return memberOf(entry, after);
      const removed = Object.keys(pairsOf(old)).map((name) => [name, null]);
      return [[entry.name, { ...Object.fromEntries(removed), ...pairsOf(text) }]];
    }),
  );
}

function memberOf({ kind, ...field }: FormField, texts: FormTexts): [string, unknown][] {
  const text = texts[field.pointer] ?? '';
  if (kind === 'switch') return text === '' ? [] : [[field.name, text === 'true']];
  if (kind !== 'pairs') return Object.entries(inputOf([{ ...field, kind }], { [field.name]: text }));
  return text === '' ? [] : [[field.name, pairsOf(text)]];
}

function pairsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
    }),
  );
}
