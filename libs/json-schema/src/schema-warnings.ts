import { didYouMean, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { FORMAT_NAMES } from './validation/formats.js';
import { NAMED_SCHEMAS, SCHEMA_DATA } from './keyword-forms.js';
import type { SchemaProblem } from './schema-problems.js';

/** The keywords of JSON Schema 2020-12 that a definition may use. */
const KEYWORDS = [
  '$comment', '$defs', '$ref', '$schema', 'additionalProperties', 'allOf', 'anyOf', 'const', 'contains', 'contentEncoding',
  'contentMediaType', 'contentSchema', 'default', 'dependentRequired', 'dependentSchemas', 'deprecated', 'description', 'else',
  'enum', 'examples', 'exclusiveMaximum', 'exclusiveMinimum', 'file', 'format', 'if', 'items', 'maxContains', 'maxItems', 'maxLength',
  'maxProperties', 'maximum', 'minContains', 'minItems', 'minLength', 'minProperties', 'minimum', 'multipleOf', 'not', 'nullable',
  'oneOf', 'pattern', 'patternProperties', 'prefixItems', 'properties', 'propertyNames', 'readOnly', 'required', 'then', 'title',
  'type', 'unevaluatedItems', 'unevaluatedProperties', 'uniqueItems', 'writeOnly',
]; // prettier-ignore

const MAX_REPORTED = 10;

/**
 * Finds valid parts of a schema that are probably mistakes: misspelt keywords, and unknown formats, which are not
 * checked.
 */
export function schemaWarnings(schema: JsonObject): SchemaProblem[] {
  return warningsBelow(schema, []).slice(0, MAX_REPORTED);
}

function warningsBelow(schema: JsonValue, path: readonly (string | number)[]): SchemaProblem[] {
  if (Array.isArray(schema)) return schema.flatMap((item, index) => warningsBelow(item, [...path, index]));
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    const at = [...path, key];
    if (SCHEMA_DATA.has(key) || key === 'file') return [];
    if (key === 'format' && typeof value === 'string') return formatWarnings(value, at);
    if (NAMED_SCHEMAS.has(key) && isJsonObject(value)) {
      return Object.entries(value).flatMap(([name, member]) => warningsBelow(member, [...at, name]));
    }
    return [...keywordWarnings(key, at), ...warningsBelow(value, at)];
  });
}

function keywordWarnings(key: string, path: readonly (string | number)[]): SchemaProblem[] {
  const suggestion = KEYWORDS.includes(key) ? undefined : didYouMean(key, KEYWORDS);
  if (suggestion === undefined) return [];
  return [{ path, detail: `JSON Schema has no keyword \`${key}\`, so it has no effect.`, suggestion }];
}

function formatWarnings(format: string, path: readonly (string | number)[]): SchemaProblem[] {
  if (FORMAT_NAMES.includes(format)) return [];
  const suggestion = didYouMean(format, FORMAT_NAMES) ?? 'Use `pattern` to check the string.';
  return [{ path, detail: `The format \`${format}\` is unknown, so it is not checked.`, suggestion }];
}
