import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { NAMED_SCHEMAS, SCHEMA_DATA } from './keyword-forms.js';
import { type FileRule, fileRuleOf } from './validation/file-rule.js';
import { appliedTo, membersOf } from './schema-defaults.js';

/** A place of a value at which its schema has the keyword `file`. */
export interface FileField {
  path: readonly string[];
  rule: FileRule;
  value: JsonValue;
}

/** Maximum nesting of the places that are found. A schema that refers to itself could nest endlessly. */
const MAX_DEPTH = 64;

/** Finds the members of the value that are files by the schema: in `properties`, `items`, and through `$ref` and `allOf`. */
export function fileFieldsIn(schema: JsonObject, value: JsonValue): FileField[] {
  return fieldsAt(schema, appliedTo(schema, [schema]), value, []);
}

function fieldsAt(
  root: JsonObject,
  schemas: readonly JsonObject[],
  value: JsonValue,
  path: readonly string[],
): FileField[] {
  if (schemas.length === 0 || path.length > MAX_DEPTH) return [];
  for (const schema of schemas) {
    const rule = Object.hasOwn(schema, 'file') ? fileRuleOf(schema) : undefined;
    if (rule) return [{ path, rule, value }];
  }
  if (Array.isArray(value)) {
    const items = schemas.flatMap((schema) => (isJsonObject(schema.items) ? [schema.items] : []));
    const applied = appliedTo(root, items);
    return value.flatMap((item, at) => fieldsAt(root, applied, item, [...path, String(at)]));
  }
  if (!isJsonObject(value)) return [];
  return [...membersOf(root, schemas)].flatMap(([name, applied]) =>
    Object.hasOwn(value, name) ? fieldsAt(root, applied, value[name] ?? null, [...path, name]) : [],
  );
}

/** Whether a value of the schema can contain files, so that callers can skip the search. */
export function hasFileKeyword(schema: JsonValue): boolean {
  if (Array.isArray(schema)) return schema.some(hasFileKeyword);
  if (!isJsonObject(schema)) return false;
  if (Object.hasOwn(schema, 'file') && fileRuleOf(schema)) return true;
  return Object.values(schema).some(hasFileKeyword);
}

const DESCRIBED = {
  type: 'object',
  required: ['file'],
  properties: {
    file: { type: 'string', description: 'Id of a file: file_…' },
    filename: { type: 'string' },
    content_type: { type: 'string' },
    bytes: { type: 'integer' },
    sha256: { type: 'string' },
  },
} as const;

const DESCRIPTIONS = new WeakMap<JsonObject, JsonObject>();

/** Returns the schema for readers that do not know the keyword `file`: models, clients of MCP and of OpenAPI. Walks each schema once. */
export function withoutFileKeyword(schema: JsonObject): JsonObject {
  let known = DESCRIPTIONS.get(schema);
  if (!known) {
    known = hasFileKeyword(schema) ? described(schema) : schema;
    DESCRIPTIONS.set(schema, known);
  }
  return known;
}

function described(schema: JsonObject): JsonObject {
  const rule = Object.hasOwn(schema, 'file') ? fileRuleOf(schema) : undefined;
  if (rule) {
    const { file: _, ...annotations } = schema;
    return { ...annotations, ...structuredClone(DESCRIBED), required: [...DESCRIBED.required] };
  }
  const entries = Object.entries(schema).map(([key, value]): [string, JsonValue] => {
    if (SCHEMA_DATA.has(key)) return [key, value];
    if (NAMED_SCHEMAS.has(key) && isJsonObject(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, deeper(each)]))];
    }
    return [key, deeper(value)];
  });
  return Object.fromEntries(entries);
}

function deeper(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(deeper);
  return isJsonObject(value) ? described(value) : value;
}
