import type { CatalogModel } from '../data/api.js';
import { modelSuggestions } from './model-completion.js';
import { type PathStep, placeAt } from '../data/yaml-place.js';
import type { Suggestion, Suggestions } from './suggestion.js';

/** The part of a JSON Schema that completion uses. */
export interface DefinitionSchema {
  $ref?: string;
  $defs?: Readonly<Record<string, DefinitionSchema>>;
  type?: string | readonly string[];
  description?: string;
  properties?: Readonly<Record<string, DefinitionSchema | boolean>>;
  additionalProperties?: DefinitionSchema | boolean;
  items?: DefinitionSchema;
  required?: readonly string[];
  enum?: readonly unknown[];
  const?: string | number | boolean;
  default?: unknown;
  if?: DefinitionSchema;
  then?: DefinitionSchema;
  else?: DefinitionSchema;
  allOf?: readonly DefinitionSchema[];
  contentMediaType?: string;
}

type Siblings = ReadonlyMap<string, string>;

/**
 * Returns the property names or the values that the schema allows at the cursor position `offset`. Models come from the
 * catalogue.
 */
export function suggestionsAt(
  root: DefinitionSchema,
  text: string,
  offset: number,
  models: readonly CatalogModel[] = [],
): Suggestions | undefined {
  const place = placeAt(text, offset);
  if (place === undefined) return undefined;
  const known = modelSuggestions(models, text, place);
  if (known.length > 0) return { from: place.from, items: known };
  const schemas = schemasOf(root, place.path, place.siblings);
  const items = place.key === undefined ? names(schemas, place.siblings) : values(schemas, place.key);
  return items.length === 0 ? undefined : { from: place.from, items };
}

/**
 * Returns the schemas of the value at the path. `siblings` are the members of the object that contains it. Without
 * `siblings`, returns the schemas of all kinds of this object.
 */
export function schemaOfMember(
  root: DefinitionSchema,
  path: readonly (string | number)[],
  siblings: Siblings | undefined,
): DefinitionSchema[] {
  const steps = path.map((part) => (typeof part === 'number' ? null : part));
  const last = steps.at(-1);
  if (last === undefined) return [];
  if (last === null) return schemasOf(root, steps, undefined);
  const members = schemasOf(root, steps.slice(0, -1), siblings).map((schema) => ownMember(schema, last));
  return members.filter((member) => member !== undefined);
}

/** Returns the description of a property from the schema, with its type and default. */
export function descriptionOf(root: DefinitionSchema, path: readonly PathStep[], key: string): string | undefined {
  const member = memberOf(schemasOf(root, path, undefined), key);
  if (member === undefined) return undefined;
  const facts = [detailOf(member), member.default === undefined ? '' : `default ${JSON.stringify(member.default)}`];
  const known = facts.filter((fact) => fact !== '').join(', ');
  return [member.description, known === '' ? '' : `(${known})`].filter(Boolean).join(' ');
}

/**
 * Returns the schemas that apply to the object at the path. If the text does not yet determine which alternative of a
 * schema applies, returns all alternatives.
 */
function schemasOf(
  root: DefinitionSchema,
  path: readonly PathStep[],
  siblings: Siblings | undefined,
): DefinitionSchema[] {
  let schemas: DefinitionSchema[] = [root];
  for (const step of path)
    schemas = schemas
      .flatMap((schema) => parts(root, schema, undefined))
      .flatMap((schema) => (step === null ? [schema.items] : [ownMember(schema, step)]))
      .filter((schema) => schema !== undefined);
  return schemas.flatMap((schema) => parts(root, schema, siblings));
}

/**
 * Returns the schema and all schemas that it includes: its `$ref` target, `allOf`, and `then` or `else`. `siblings` are
 * the keys of the edited object, which decide between `then` and `else`. Without `siblings`, includes both.
 */
function parts(root: DefinitionSchema, schema: DefinitionSchema, siblings: Siblings | undefined): DefinitionSchema[] {
  const target = schema.$ref === undefined ? undefined : root.$defs?.[schema.$ref.replace('#/$defs/', '')];
  const further = [target, ...(schema.allOf ?? []), ...branches(schema, siblings)];
  return [schema, ...further.flatMap((each) => (each === undefined ? [] : parts(root, each, siblings)))];
}

function branches(schema: DefinitionSchema, siblings: Siblings | undefined): (DefinitionSchema | undefined)[] {
  if (schema.if === undefined) return [];
  if (siblings === undefined || schema.if.type !== undefined) return [schema.then, schema.else];
  return [holds(schema.if, siblings) ? schema.then : schema.else];
}

function holds(condition: DefinitionSchema, siblings: Siblings): boolean {
  const hasAll = (condition.required ?? []).every((name) => siblings.has(name));
  const hasValues = Object.entries(condition.properties ?? {}).every(([name, member]) => {
    const expected = typeof member === 'object' ? member.const : undefined;
    return expected === undefined || siblings.get(name) === String(expected);
  });
  return hasAll && hasValues;
}

function ownMember({ properties, additionalProperties }: DefinitionSchema, key: string): DefinitionSchema | undefined {
  const member = properties?.[key] ?? additionalProperties;
  return typeof member === 'object' ? member : undefined;
}

/** Returns the schema of the property `key`. If several schemas define the property, prefers one with a type. */
function memberOf(schemas: readonly DefinitionSchema[], key: string): DefinitionSchema | undefined {
  const members = schemas.map((schema) => ownMember(schema, key)).filter((member) => member !== undefined);
  return members.find(({ type }) => type !== undefined) ?? members[0];
}

function names(schemas: readonly DefinitionSchema[], siblings: Siblings): Suggestion[] {
  const all = new Set(schemas.flatMap(({ properties }) => Object.keys(properties ?? {})));
  const required = new Set(schemas.flatMap((schema) => schema.required ?? []));
  const offered = [...all].filter((name) => !siblings.has(name));
  offered.sort((one, other) => Number(required.has(other)) - Number(required.has(one)));
  return offered.flatMap((name) => {
    const member = memberOf(schemas, name);
    if (member === undefined) return [];
    return [{ label: name, insert: `${name}: `, detail: detailOf(member), info: member.description ?? '' }];
  });
}

function values(schemas: readonly DefinitionSchema[], key: string): Suggestion[] {
  const member = schemas.map((schema) => ownMember(schema, key)).find((each) => valuesOf(each).length > 0);
  const info = member?.description ?? '';
  return valuesOf(member).map((value) => ({ label: value, insert: value, detail: '', info }));
}

function valuesOf(member: DefinitionSchema | undefined): string[] {
  if (member?.enum !== undefined) return member.enum.map(String);
  if (member?.const !== undefined) return [String(member.const)];
  return member?.type === 'boolean' ? ['true', 'false'] : [];
}

function detailOf(member: DefinitionSchema): string {
  const choices = valuesOf(member);
  if (choices.length > 0) return choices.join(' | ');
  return typeof member.type === 'string' ? member.type : (member.type ?? []).join(' | ');
}
