import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { CheckLimitError, type WorkBudget } from './validation/work-budget.js';

/**
 * Maximum nesting of values that defaults create. The defaults of a schema that refers to itself could nest endlessly.
 */
const MAX_DEPTH = 64;
const WORK_PER_SCHEMA = 10;

/**
 * Fills members that are missing: in `properties`, in the objects of `items`, and through `$ref` and `allOf`. Never
 * replaces null. Does not change `value`.
 * @throws CheckLimitError if the defaults need too much work
 */
export function withDefaults(schema: JsonObject, value: JsonValue, budget: WorkBudget): JsonValue {
  return new Defaults(schema, value, budget).fill(appliedTo(schema, [schema]), value, 0);
}

export class Defaults {
  constructor(
    private readonly root: JsonObject,
    private readonly whole: JsonValue,
    private readonly budget: WorkBudget,
  ) {}

  fill(schemas: readonly JsonObject[], value: JsonValue, depth: number): JsonValue {
    this.budget.spend(WORK_PER_SCHEMA * schemas.length, this.whole);
    if (depth > MAX_DEPTH) throw new CheckLimitError('its defaults are nested too deeply');
    if (Array.isArray(value)) return this.fillList(schemas, value, depth);
    return isJsonObject(value) ? this.fillObject(schemas, value, depth) : value;
  }

  private fillObject(schemas: readonly JsonObject[], object: JsonObject, depth: number): JsonObject {
    let filled = object;
    for (const [name, applied] of membersOf(this.root, schemas)) {
      this.budget.spend(WORK_PER_SCHEMA * applied.length, this.whole);
      const given = Object.hasOwn(object, name) ? object[name] : defaultOf(applied);
      if (given === undefined) continue;
      const value = this.fill(applied, given, depth + 1);
      if (value !== object[name] || !Object.hasOwn(object, name)) filled = { ...filled, [name]: value };
    }
    return filled;
  }

  private fillList(schemas: readonly JsonObject[], list: JsonValue[], depth: number): JsonValue[] {
    const ofItems = schemas.flatMap(({ items, prefixItems }) =>
      isJsonObject(items) ? [{ from: Array.isArray(prefixItems) ? prefixItems.length : 0, items }] : [],
    );
    if (ofItems.length === 0) return list;
    const filled = list.map((item, index) => {
      const applied = ofItems.flatMap(({ from, items }) => (index >= from ? [items] : []));
      return this.fill(appliedTo(this.root, applied), item, depth + 1);
    });
    return filled.every((item, index) => item === list[index]) ? list : filled;
  }
}

/** Returns these schemas, and the schemas that they apply to the same value through `$ref` and `allOf`. */
export function appliedTo(root: JsonObject, schemas: readonly JsonObject[]): JsonObject[] {
  const applied = new Set(schemas);
  for (const { $ref, allOf } of applied) {
    const target = typeof $ref === 'string' ? targetOf(root, $ref) : undefined;
    if (target) applied.add(target);
    for (const part of Array.isArray(allOf) ? allOf : []) if (isJsonObject(part)) applied.add(part);
  }
  return [...applied];
}

export function membersOf(root: JsonObject, schemas: readonly JsonObject[]): Map<string, JsonObject[]> {
  const declared = new Map<string, JsonObject[]>();
  for (const { properties } of schemas) {
    for (const [name, schema] of Object.entries(isJsonObject(properties) ? properties : {}))
      if (isJsonObject(schema)) declared.set(name, [...(declared.get(name) ?? []), schema]);
  }
  return new Map([...declared].map(([name, own]) => [name, appliedTo(root, own)]));
}

/** If several schemas have a default, returns the first. */
export function defaultOf(schemas: readonly JsonObject[]): JsonValue | undefined {
  return schemas.find((schema) => Object.hasOwn(schema, 'default'))?.default;
}

export function hasDefaultAt(root: JsonObject, path: readonly string[]): boolean {
  let schemas = appliedTo(root, [root]);
  for (const name of path) schemas = membersOf(root, schemas).get(name) ?? [];
  return defaultOf(schemas) !== undefined;
}

function targetOf(root: JsonObject, reference: string): JsonObject | undefined {
  const target = pointedAt(root, reference);
  return isJsonObject(target) ? target : undefined;
}

/**
 * Returns the value at a JSON pointer that is the fragment of a URI, such as `#/$defs/a%20b` (RFC 6901, section 6).
 * Returns undefined for another reference, and if the value does not exist.
 */
export function pointedAt(root: JsonObject, reference: string): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: JsonValue | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(name)];
    else at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
