const SCHEMA = 'a schema: an object, or `true` or `false`';
const SCHEMAS = 'a list of at least one schema, for example `[{ type: string }]`';
const NAMED = 'an object with a schema for each name, for example `{ id: { type: string } }`';
const NAMES = 'a list of different names, for example `[id, amount]`';
const COUNT = 'a whole number that is not negative, for example `3`';
const NUMBER = 'a number, for example `0.5`';
const TEXT = 'text';
const FLAG = '`true` or `false`';
const LIST = 'a list of values, for example `[refund, return]`';

type Content = 'schema' | 'list' | 'names' | 'data';

interface KeywordForm {
  readonly content: Content;
  readonly mustBe: string;
}

const forms = (content: Content, mustBe: string, keywords: readonly string[]): [string, KeywordForm][] =>
  keywords.map((keyword) => [keyword, { content, mustBe }]);

const FORMS: ReadonlyMap<string, KeywordForm> = new Map([
  ...forms('schema', SCHEMA, ['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'contentSchema']),
  ...forms('schema', SCHEMA, ['if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties']),
  ...forms('list', SCHEMAS, ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  ...forms('names', NAMED, ['properties', '$defs', 'definitions', 'dependentSchemas']),
  ...forms('names', 'an object with a schema for each pattern, for example `{ "^x-": { type: string } }`', [
    'patternProperties',
  ]),
  ...forms('data', NAMES, ['required']),
  ...forms('data', 'an object with a list of names for each name, for example `{ card: [address] }`', [
    'dependentRequired',
  ]),
  ...forms('data', COUNT, ['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains']),
  ...forms('data', COUNT, ['minProperties', 'maxProperties']),
  ...forms('data', NUMBER, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']),
  ...forms('data', 'a number greater than 0, for example `0.01`', ['multipleOf']),
  ...forms('data', FLAG, ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly']),
  ...forms('data', LIST, ['enum', 'examples']),
  ...forms('data', 'a type or a list of different types, for example `string` or `[string, "null"]`', ['type']),
  ...forms('data', 'a regular expression as a string, for example `"^[A-Z]{2}$"`', ['pattern']),
  ...forms('data', 'the name of a format as a string, for example `date-time`', ['format']),
  ...forms('data', 'a reference as a string, for example `"#/$defs/address"`', ['$ref']),
  ...forms('data', 'an object, for example `{ accept: [application/pdf], max: 20MiB }`', ['file']),
  ...forms('data', TEXT, ['title', 'description', '$comment', 'contentEncoding', 'contentMediaType']),
]);

/** `path` leads to the keyword, or into its value. */
export function keywordForm(path: readonly string[]): string {
  for (let at = 0; at < path.length;) {
    const keyword = path[at] ?? '';
    const form = FORMS.get(keyword);
    if (form === undefined) return `\`${keyword}\` has a value that JSON Schema 2020-12 does not allow.`;
    const isSeveral = form.content === 'list' || form.content === 'names';
    if (form.content === 'data' || (isSeveral && at + 1 === path.length))
      return `\`${keyword}\` must be ${form.mustBe}.`;
    at += isSeveral ? 2 : 1;
  }
  return `\`${path.at(-1) ?? 'the schema'}\` must be ${SCHEMA}.`;
}

/** Keywords whose value is an object of schemas with names that the author chooses. */
export const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'patternProperties',
  'dependentSchemas',
]);
/** Keywords whose value is data, not a schema. */
export const SCHEMA_DATA: ReadonlySet<string> = new Set(['const', 'default', 'examples', 'enum']);
