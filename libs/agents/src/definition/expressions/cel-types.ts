import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** What the type checker knows about a variable: a CEL type name, or the types of the fields of an object. */
export type CelType = string | { readonly [field: string]: CelType };

const MAX_TYPED_DEPTH = 6;
const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Keywords that widen or combine schemas: the checker then knows nothing, which is always right. */
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
 * The CEL type of the values that a JSON Schema lets through: typed where the schema is plain, `dyn` elsewhere. An
 * object is typed by its declared properties unless it explicitly allows further ones; so a mistyped name is found when
 * the definition is created.
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
