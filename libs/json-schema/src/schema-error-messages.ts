import { didYouMean, isJsonObject, type JsonObject, jsonPointer, type JsonValue, ownMember } from '@app/kernel';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { meantValue } from './meant-value.js';

export interface SchemaErrorMessage {
  readonly path: readonly (string | number)[];
  readonly pointer: string;
  readonly target: 'key' | 'value';
  readonly detail: string;
  readonly suggestion?: string;
  readonly keyword: string;
}

/** If it is missing, the message is about the value itself. */
type Message = Pick<SchemaErrorMessage, 'detail' | 'suggestion'> & { readonly member?: string };

/** Keywords that only apply other schemas. Their errors repeat the errors of those schemas. */
const PASSED_ON_KEYWORDS = new Set(['if', 'allOf', '$ref', 'then', 'else']);

const MAX_MESSAGES = 200;
const MAX_LISTED = 24;
const MAX_COMPARED = 1_000;

interface LocatedError {
  readonly error: ErrorObject;
  readonly path: readonly (string | number)[];
  readonly target: 'key' | 'value';
}

type Synonyms = Readonly<Record<string, readonly string[]>>;

/** The wording for a document that a person writes, such as a definition. */
export interface DocumentWording {
  /** Messages are sorted by it. */
  readonly offsetOf: (path: readonly (string | number)[], target: 'key' | 'value') => number;
  /** They take precedence over {@link MESSAGES}. */
  readonly messages: Readonly<Record<string, (error: ErrorObject) => Message | undefined>>;
  readonly synonyms: Synonyms;
}

/** Without `wording`, the messages keep the order of ajv and are worded for values and schemas of a tenant. */
export function schemaErrorMessages(
  errors: readonly ErrorObject[],
  root: JsonValue,
  wording?: DocumentWording,
): SchemaErrorMessage[] {
  const placed = errors.filter(isReportable).map((error) => locate(error, root));
  if (wording) {
    const offsets = new Map(placed.map((one) => [one, wording.offsetOf(one.path, one.target)]));
    placed.sort((a, b) => (offsets.get(a) ?? 0) - (offsets.get(b) ?? 0));
  }
  const messages = new Map<string, SchemaErrorMessage>();
  for (const { error, path, target } of placed.slice(0, MAX_MESSAGES)) {
    const { detail, suggestion, member } = messageFor(error, wording);
    const at = member === undefined ? path : [...path, member];
    const pointer = jsonPointer(at);
    const identity = `${pointer} ${detail}`;
    if (messages.has(identity)) continue;
    const common = { path: at, pointer, detail, keyword: error.keyword, ...(suggestion ? { suggestion } : {}) };
    messages.set(identity, { ...common, target: member === undefined ? target : 'key' });
  }
  return [...messages.values()];
}

/**
 * Returns false for errors that another error summarises: errors in branches of `anyOf` and `oneOf`, and errors of
 * {@link PASSED_ON_KEYWORDS}.
 */
function isReportable(error: ErrorObject): boolean {
  return (
    !PASSED_ON_KEYWORDS.has(error.keyword) &&
    error.propertyName === undefined &&
    !/\/(?:anyOf|oneOf)\/\d+\//.test(error.schemaPath)
  );
}

function locate(error: ErrorObject, root: JsonValue): LocatedError {
  const container = pathOf(error.instancePath, root);
  const { additionalProperty, unevaluatedProperty, propertyName } = error.params;
  const member: unknown = additionalProperty ?? unevaluatedProperty ?? propertyName;
  return typeof member === 'string'
    ? { error, path: [...container, member], target: 'key' }
    : { error, path: container, target: 'value' };
}

function messageFor(error: ErrorObject, wording: DocumentWording | undefined): Message {
  const make = MESSAGES[error.keyword];
  if (!make) return { detail: `This value does not match the schema: it ${error.message ?? 'is not allowed'}.` };
  // For a document, the message points at the object to which the author must add the property. For any other value,
  // the message points at the missing property.
  const member = error.keyword === 'required' && !wording ? { member: String(error.params.missingProperty) } : {};
  return wording?.messages[error.keyword]?.(error) ?? { ...make(error, wording?.synonyms ?? {}), ...member };
}

const MESSAGES: Readonly<Record<string, (error: ErrorObject, synonyms: Synonyms) => Message>> = {
  additionalProperties: unknownKey,
  unevaluatedProperties: unknownKey,
  required: missingKey,
  type: wrongType,
  enum: (error) => valueNotAllowed(error, listOf(error.params.allowedValues)),
  const: (error) => ({ detail: `This value must be ${quote(error.params.allowedValue)}.` }),
  pattern: (error) => ({ detail: `${quote(error.data)} does not match the pattern \`${shorten(String(error.params.pattern))}\`.` }),
  propertyNames: (error) => ({ detail: `\`${shorten(String(error.params.propertyName))}\` is not allowed as a name here.` }),
  anyOf: matchesNoBranch,
  minLength: (error) => ({ detail: count(error) === 1 ? 'This value must not be empty.' : `This value must have at least ${count(error)} characters.` }),
  maxLength: (error) => ({ detail: `This value must have at most ${count(error)} characters.` }),
  minimum: (error) => ({ detail: `${quote(error.data)} is too small: it must be at least ${count(error)}.` }),
  maximum: (error) => ({ detail: `${quote(error.data)} is too large: it must be at most ${count(error)}.` }),
  exclusiveMinimum: (error) => ({ detail: `${quote(error.data)} is too small: it must be greater than ${count(error)}.` }),
  exclusiveMaximum: (error) => ({ detail: `${quote(error.data)} is too large: it must be less than ${count(error)}.` }),
  multipleOf: (error) => ({ detail: `${quote(error.data)} must be a multiple of ${String(error.params.multipleOf)}.` }),
  minItems: (error) => ({ detail: count(error) === 1 ? 'The list must not be empty.' : `The list must have at least ${count(error)} items.` }),
  maxItems: (error) => ({ detail: `The list must have at most ${count(error)} items.` }),
  uniqueItems: (error) => ({ detail: `${firstDuplicate(error.data)} appears twice in this list.`, suggestion: 'Keep one of them.' }),
  minProperties: () => ({ detail: 'This object must not be empty.' }),
  maxProperties: (error) => ({ detail: `This object must have at most ${count(error)} entries.` }),
  format: (error) => ({ detail: `${quote(error.data)} does not have the format \`${String(error.params.format)}\`.` }),
  oneOf: notExactlyOne,
  file: unusableFile,
  'false schema': () => ({ detail: 'No value is allowed here.', suggestion: 'Remove the value.' }),
}; // prettier-ignore

function unusableFile({ message = '', params }: ErrorObject): Message {
  if (params.isKnown === true) return { detail: message };
  return { detail: message, suggestion: 'Upload the file with `POST /v1/files`, and send `{"file": "file_…"}`.' };
}

function unknownKey(error: ErrorObject, synonyms: Synonyms): Message {
  const member = String(error.params.additionalProperty ?? error.params.unevaluatedProperty);
  const known = propertyNames(error);
  const close = synonymOf(member, known, synonyms) ?? didYouMean(member, known);
  const all =
    known.length > 0 && known.length <= MAX_LISTED
      ? `Allowed keys are ${known.map((name) => `\`${name}\``).join(', ')}.`
      : undefined;
  return { detail: `There is no key \`${shorten(member)}\` here.`, suggestion: close ?? all };
}

function synonymOf(word: string, known: readonly string[], synonyms: Synonyms): string | undefined {
  const synonym = ownMember(synonyms, word.toLowerCase())?.find((name) => known.includes(name));
  return synonym === undefined ? undefined : `Did you mean \`${synonym}\`?`;
}

function missingKey(error: ErrorObject): Message {
  const missing = String(error.params.missingProperty);
  const schema = isSchema(error.parentSchema) ? error.parentSchema.properties : undefined;
  const property = isJsonObject(schema) ? schema[missing] : undefined;
  const { description, enum: values } = isJsonObject(property) ? property : {};
  const what = typeof description === 'string' && description !== '' ? `: ${description}` : '.';
  const detail = `\`${missing}\` is missing.`;
  const listed = listOf(values).flatMap((value) => (typeof value === 'string' ? [`\`${shorten(value)}\``] : []));
  if (listed.length === 0 || listed.length > MAX_LISTED) return { detail, suggestion: `Add \`${missing}\`${what}` };
  const meant = isSchema(error.parentSchema) ? meantValue(error.parentSchema, missing, error.data) : undefined;
  const suggestion =
    meant === undefined
      ? `Add \`${missing}\`, one of ${listed.join(', ')}${what}`
      : `Add \`${missing}: ${meant}\`. Allowed values are ${listed.join(', ')}.`;
  return { detail, suggestion };
}

function wrongType(error: ErrorObject): Message {
  const expected = listOf(error.params.type);
  const found = error.data as JsonValue;
  if (
    typeof found === 'string' &&
    isLongInteger(found) &&
    expected.some((type) => type === 'integer' || type === 'number')
  )
    return {
      detail: `This value must be a number that JSON can hold, not the integer ${shorten(found)} beyond 2^53.`,
      suggestion: 'Allow a string here.',
    };
  const detail = `This value must be ${expected.map((type) => TYPE_NAMES[String(type)] ?? String(type)).join(' or ')}, not ${describe(found)}.`;
  return { detail, suggestion: typeHint(expected.map(String), found) };
}

function isLongInteger(text: string): boolean {
  return /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text));
}

function typeHint(expected: readonly string[], found: JsonValue): string | undefined {
  if (expected.includes('string') && (typeof found === 'number' || typeof found === 'boolean'))
    return `Put it in quotes: \`"${String(found)}"\`.`;
  if (expected.includes('array') && typeof found === 'string') return `Write a list: \`[${quote(found)}]\`.`;
  if (typeof found !== 'string') return undefined;
  if (expected.includes('object') && found.includes('${{'))
    return 'Write an object. Only its values can be expressions, for example `{ name: "${{ input.name }}" }`.';
  if ((expected.includes('integer') || expected.includes('number')) && /^-?[0-9.]+$/.test(found))
    return `Leave the quotes out: \`${found}\`.`;
  if (expected.includes('boolean'))
    return /^(yes|on|true)$/i.test(found) ? 'Write `true`.' : 'Write `true` or `false`.';
  return undefined;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string', number: 'a number', integer: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object', null: 'null',
}; // prettier-ignore

function describe(value: JsonValue): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string'
    ? `the string ${quote(value)}`
    : typeof value === 'number'
      ? `the number ${value}`
      : `\`${value}\``;
}

function valueNotAllowed(error: ErrorObject, allowed: readonly unknown[]): Message {
  const names = allowed.slice(0, MAX_COMPARED).map(String);
  const close = typeof error.data === 'string' ? closestValue(error.data, names) : undefined;
  const more = allowed.length > MAX_LISTED ? ` and ${allowed.length - MAX_LISTED} more` : '';
  const listed = names.slice(0, MAX_LISTED).map((name) => `\`${shorten(name)}\``);
  return {
    detail: `${quote(error.data)} is not one of ${listed.join(', ')}${more}.`,
    suggestion: close,
  };
}

/** Also finds the only value that begins with the given text and a dot, such as `email.received` for `email`. */
function closestValue(given: string, names: readonly string[]): string | undefined {
  const [longer, ...others] = names.filter((name) => name.startsWith(`${given}.`));
  return longer !== undefined && others.length === 0 ? `Did you mean \`${longer}\`?` : didYouMean(given, names);
}

/**
 * Returns the message for a value that matches no branch of `anyOf`. If every branch only requires a type, the message
 * lists the types.
 */
function matchesNoBranch(error: ErrorObject): Message {
  const types = listOf(error.schema).map((schema) => (isSchema(schema) ? schema.type : undefined));
  const names = types.map((type) => (typeof type === 'string' ? ownMember(TYPE_NAMES, type) : undefined));
  const found = describe(error.data as JsonValue);
  if (names.some((name) => name === undefined))
    return { detail: `This value does not match any of the allowed forms: it is ${found}.` };
  return { detail: `This value must be ${[...new Set(names)].join(' or ')}, not ${found}.` };
}

/**
 * Returns the message for a value that does not match exactly one branch of `oneOf`. If each branch only requires a
 * key, the message names the keys.
 */
function notExactlyOne(error: ErrorObject, synonyms: Synonyms): Message {
  const names = listOf(error.schema)
    .flatMap((schema) => (isSchema(schema) ? listOf(schema.required) : []))
    .map(String);
  const data = isJsonObject(error.data) ? error.data : {};
  const present = names.filter((name) => name in data);
  if (names.length === 0) return { detail: 'This value must match exactly one of the allowed forms.' };
  const all = names.map((name) => `\`${name}\``).join(', ');
  if (present.length > 1) {
    const both = present.map((name) => `\`${name}\``).join(' and ');
    return {
      detail: `${both} cannot be used together.`,
      suggestion: 'Keep one of these keys, or write two separate objects.',
    };
  }
  for (const member of Object.keys(data)) {
    const suggestion = didYouMean(member, names) ?? synonymOf(member, names, synonyms);
    if (suggestion) return { detail: `There is no key \`${shorten(member)}\` here.`, suggestion, member };
  }
  return { detail: `Exactly one of these keys is required: ${all}.` };
}

function firstDuplicate(items: unknown): string {
  const seen = new Set<string>();
  for (const item of listOf(items)) {
    const text = JSON.stringify(item);
    if (seen.has(text)) return quote(item);
    seen.add(text);
  }
  return 'An item';
}

function propertyNames(error: ErrorObject): string[] {
  const properties = isSchema(error.parentSchema) ? error.parentSchema.properties : undefined;
  return isJsonObject(properties) ? Object.keys(properties).slice(0, MAX_COMPARED) : [];
}

function isSchema(value: unknown): value is JsonObject {
  return isJsonObject(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function count(error: ErrorObject): number {
  return Number(error.params.limit);
}

export function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(shorten(value)) : shorten(JSON.stringify(value));
}

export function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Indexes of lists become numbers. */
function pathOf(pointer: string, root: JsonValue): (string | number)[] {
  const path: (string | number)[] = [];
  let at: JsonValue | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(at) ? Number(name) : name);
    at = Array.isArray(at) ? at[Number(name)] : isJsonObject(at) ? at[name] : undefined;
  }
  return path;
}
