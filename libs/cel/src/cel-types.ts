import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** The type of a variable for the type checker: the name of a CEL type, or the types of the fields of an object. */
export type CelType = string | { readonly [field: string]: CelType };

const MAX_TYPED_DEPTH = 6;
const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/**
 * Keywords that combine schemas or allow further values. A schema with such a keyword has the type `dyn`, which is
 * always correct.
 */
const WIDENING = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'not',
  'patternProperties',
  'dependentSchemas',
];

/**
 * Returns the CEL type of the values that a JSON Schema allows: a precise type for plain schemas, otherwise `dyn`. An
 * object is typed by its declared properties unless it explicitly allows further properties, so a mistyped name is
 * found when the definition is created.
 */
export function celTypeOf(schema: JsonValue | undefined, depth = 0): CelType {
  if (!isJsonObject(schema) || depth > MAX_TYPED_DEPTH || WIDENING.some((keyword) => keyword in schema)) return 'dyn';
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
    case 'integer':
      return 'double';
    case 'array':
      return listType(schema, depth);
    case 'object':
      return objectType(schema, depth);
    default:
      return 'dyn';
  }
}

function listType(schema: JsonObject, depth: number): CelType {
  const item = 'prefixItems' in schema ? 'dyn' : celTypeOf(schema.items, depth + 1);
  return typeof item === 'string' && ['string', 'bool', 'double'].includes(item) ? `list<${item}>` : 'list';
}

function objectType(schema: JsonObject, depth: number): CelType {
  const properties = schema.properties;
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return 'map';
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  if (isOpen || !Object.keys(properties).every((name) => FIELD_NAME.test(name))) return 'map';
  return Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, celTypeOf(type, depth + 1)]));
}

const JSON_TYPES: Readonly<Record<string, CelType>> = {
  string: 'string', bool: 'bool', double: 'double', int: 'double', uint: 'double', 'google.protobuf.Timestamp': 'string',
  'list<string>': 'list<string>', 'list<bool>': 'list<bool>', 'list<double>': 'list<double>', 'list<int>': 'list<double>',
}; // prettier-ignore

/** Returns the type of a result after its conversion to JSON, in which all numbers are doubles. */
export function jsonTypeOf(celType: string): CelType {
  const type = JSON_TYPES[celType];
  if (type !== undefined) return type;
  if (celType.startsWith('list')) return 'list';
  return celType.startsWith('map') ? 'map' : 'dyn';
}

export function typeOfValue(value: JsonValue): CelType {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return 'double';
    default:
      return Array.isArray(value)
        ? 'list'
        : isJsonObject(value)
          ? fieldTypes(Object.entries(value).map(([key, member]) => [key, typeOfValue(member)]))
          : 'dyn';
  }
}

export function fieldTypes(members: readonly (readonly [string, CelType])[]): CelType {
  const isNameable = members.length > 0 && members.every(([name]) => FIELD_NAME.test(name));
  return isNameable ? Object.fromEntries(members) : 'map';
}

export interface KnownShape {
  readonly type: CelType;
  readonly schema?: JsonObject;
  /** Where the type comes from, for messages: "The input schema". */
  readonly owner: string;
  /** Whether the member at this path has a default. A missing member is then filled with the default. */
  readonly hasDefault?: (path: readonly string[]) => boolean;
}

export interface KnownFields {
  readonly fields: readonly string[];
  readonly owner: string;
}

export interface KnownOutput {
  readonly type: CelType;
  readonly schema?: JsonObject | undefined;
}

const STEP_STATUSES = ['succeeded', 'failed', 'skipped'] as const;

export const STEP_STATUS: JsonObject = { type: 'string', enum: [...STEP_STATUSES] };

export const STEP_FIELDS: { readonly status: CelType; readonly error: CelType } = {
  status: 'string',
  error: { code: 'string', message: 'string', status: 'dyn', body: 'dyn' },
};

export const STEP_MEMBERS: readonly string[] = ['output', ...Object.keys(STEP_FIELDS)];
