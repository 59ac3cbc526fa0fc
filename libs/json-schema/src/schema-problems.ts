import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '@app/kernel';
import { regexProblem } from '@app/cel';
import { createAjv } from './ajv.js';
import { keywordForm, NAMED_SCHEMAS, SCHEMA_DATA } from './keyword-forms.js';
import { fileRuleProblem } from './validation/file-rule.js';
import { inspectSchema, PatternWork } from './validation/inspect-schema.js';
import { pointedAt } from './schema-defaults.js';

export interface SchemaProblem {
  readonly path: readonly (string | number)[];
  readonly detail: string;
  readonly suggestion?: string;
}

type Path = readonly (string | number)[];

const MAX_REPORTED = 5;
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const IDENTITIES = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef'];

export function schemaProblems(schema: JsonObject, patterns = new PatternWork()): SchemaProblem[] {
  const tooMany = patterns.allows(schema) ? [] : inspectSchema(schema, patterns).refusals;
  if (tooMany.length > 0) return [...tooMany];
  const problems = problemsBelow(schema, [], schema);
  if (problems.length > 0) return problems.slice(0, MAX_REPORTED);
  const malformed = malformedKeywords(schema).map((pointer) => {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    return { path, detail: keywordForm(path) };
  });
  return malformed.length > 0 ? malformed : [...inspectSchema(schema, patterns).refusals];
}

function problemsBelow(value: JsonValue, path: Path, root: JsonObject): SchemaProblem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => problemsBelow(item, [...path, index], root));
  if (!isJsonObject(value)) return [];
  const isSchema = !NAMED_SCHEMAS.has(String(path.at(-1))) || isNameOfNames(path);
  const own = isSchema
    ? [...keywordProblems(value, path, root), ...fileProblems(value, path)]
    : nameProblems(value, path);
  const members = Object.entries(value).filter(([key]) => !isSchema || !(SCHEMA_DATA.has(key) || key === 'file'));
  return [...own, ...members.flatMap(([key, member]) => problemsBelow(member, [...path, key], root))];
}

/**
 * Whether the last key of the path is a name that the author chose, although it is also a keyword. For example, the
 * inner key of `properties: { properties: {…} }` is the name of a property, and its value is a schema.
 */
function isNameOfNames(path: Path): boolean {
  const names = [...path].reverse();
  const run = names.findIndex((part) => !NAMED_SCHEMAS.has(String(part)));
  return (run === -1 ? names.length : run) % 2 === 0;
}

function keywordProblems(schema: JsonObject, path: Path, root: JsonObject): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const report = (key: string, detail: string, suggestion?: string): void =>
    void problems.push({ path: [...path, key], detail, ...(suggestion ? { suggestion } : {}) });
  const { type, pattern, required, $ref, $schema } = schema;
  if (typeof type === 'string' && !TYPES.includes(type)) {
    report(
      'type',
      `\`${type}\` is not a JSON Schema type. Types are ${TYPES.join(', ')}.`,
      ownMember(TYPE_HINTS, type.toLowerCase()),
    );
  }
  if (typeof pattern === 'string') problems.push(...patternProblems(pattern, [...path, 'pattern']));
  if (typeof required === 'boolean') {
    report(
      'required',
      '`required` must be a list of property names next to `properties`.',
      'Write `required: [<name of the property>]` in the schema that contains `properties`.',
    );
  }
  if (typeof $ref === 'string' && !resolves($ref, root)) {
    report(
      '$ref',
      `\`${$ref}\` does not exist in this schema. A \`$ref\` must point into the schema that contains it.`,
      'Write `#/$defs/<name>`.',
    );
  }
  if ($schema !== undefined && !isVersion2020($schema)) {
    report('$schema', 'The schemas of a definition must use JSON Schema 2020-12.', 'Remove `$schema`.');
  }
  if (Array.isArray(schema.enum) && schema.enum.length === 0) {
    report('enum', '`enum` is empty, so no value is valid.', 'List the allowed values, or remove `enum`.');
  }
  if ('nullable' in schema && type === undefined) {
    report(
      'nullable',
      '`nullable` is not a keyword of JSON Schema 2020-12.',
      'Add "null" to the types instead, for example `type: [string, "null"]`.',
    );
  }
  for (const key of IDENTITIES)
    if (key in schema)
      report(key, `\`${key}\` cannot be used here.`, 'Remove it. Write a reference as `$ref: "#/$defs/<name>"`.');
  return problems;
}

function fileProblems(schema: JsonObject, path: Path): SchemaProblem[] {
  const problem = Object.hasOwn(schema, 'file') ? fileRuleProblem(schema) : undefined;
  return problem ? [{ path: [...path, problem.key], detail: problem.detail }] : [];
}

function isVersion2020(dialect: JsonValue): boolean {
  return typeof dialect === 'string' && dialect.replace(/#$/, '') === 'https://json-schema.org/draft/2020-12/schema';
}

function nameProblems(named: JsonObject, path: Path): SchemaProblem[] {
  if (path.at(-1) !== 'patternProperties') return [];
  return Object.keys(named).flatMap((pattern) => patternProblems(pattern, [...path, pattern]));
}

function resolves(reference: string, root: JsonObject): boolean {
  const target = pointedAt(root, reference);
  return isJsonObject(target) || typeof target === 'boolean';
}

const TYPE_HINTS: Readonly<Record<string, string>> = {
  str: 'Write `string`.',
  text: 'Write `string`.',
  int: 'Write `integer`.',
  float: 'Write `number`.',
  double: 'Write `number`.',
  decimal: 'Write `number`.',
  bool: 'Write `boolean`.',
  list: 'Write `array`.',
  map: 'Write `object`.',
  dict: 'Write `object`.',
  date: 'Write `type: string` with `format: date`.',
  datetime: 'Write `type: string` with `format: date-time`.',
};

function patternProblems(pattern: string, path: Path): SchemaProblem[] {
  const problem = regexProblem(pattern);
  if (problem === undefined) return [];
  const suggestion = 'Write it in RE2 syntax, which has no look-ahead, look-behind or back-references.';
  return [{ path, detail: `The regular expression cannot be used: ${problem}.`, suggestion }];
}

let metaAjv: ReturnType<typeof createAjv> | undefined;

function malformedKeywords(schema: JsonObject): string[] {
  metaAjv ??= createAjv();
  if (metaAjv.validateSchema(schema) === true) return [];
  return [...new Set((metaAjv.errors ?? []).map((error) => error.instancePath))].slice(0, 5);
}
