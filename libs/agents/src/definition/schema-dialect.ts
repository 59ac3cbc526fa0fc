import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** Below these stand names that authors choose, each with a schema. */
export const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'patternProperties',
  'dependentSchemas',
]);
/** Below these stands data. */
export const SCHEMA_DATA: ReadonlySet<string> = new Set(['const', 'default', 'examples', 'enum']);

/**
 * The schema without what only its compiler gives a meaning to: JSON Schema 2020-12 ignores keywords that it does not know.
 * `$async` would make a validator whose failures come later, past whoever asked and into nobody's hands; `nullable` is known
 * beside a `type`, as OpenAPI has it, and breaks the compiler elsewhere.
 */
export function withoutExtensions(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !isExtension(key, schema))
      .map(([key, value]) => [
        key,
        SCHEMA_DATA.has(key) ? value : withoutExtensionsBelow(value, NAMED_SCHEMAS.has(key)),
      ]),
  );
}

function withoutExtensionsBelow(value: JsonValue, isNamed: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutExtensionsBelow(item, false));
  if (!isJsonObject(value)) return value;
  if (!isNamed) return withoutExtensions(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutExtensionsBelow(member, false)]),
  );
}

function isExtension(key: string, { type, nullable }: JsonObject): boolean {
  if (key === '$async') return true;
  if (key !== 'nullable') return false;
  const mayBeNull = type === 'null' || (Array.isArray(type) && type.includes('null'));
  return type === undefined || mayBeNull || typeof nullable !== 'boolean';
}
