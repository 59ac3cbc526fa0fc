import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { appliedTo, membersOf } from './schema-defaults.js';

/** Maximum nesting of the objects that are examined. A schema that refers to itself could nest endlessly. */
const MAX_DEPTH = 64;

/** Returns the members that the service adds to this object of an event. */
export type AddedMembers = (object: JsonObject) => readonly string[];

/**
 * Leaves out added members where the schema has `additionalProperties: false` and does not name them, so that a schema
 * that was written before them still accepts the value. Looks where defaults are filled in. Does not change `value`.
 */
export function withoutUnnamed(schema: JsonObject, value: JsonValue, added: AddedMembers): JsonValue {
  return stripped(schema, appliedTo(schema, [schema]), value, added, 0);
}

function stripped(
  root: JsonObject,
  schemas: readonly JsonObject[],
  value: JsonValue,
  added: AddedMembers,
  depth: number,
): JsonValue {
  if (schemas.length === 0 || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const applied = appliedTo(
      root,
      schemas.flatMap(({ items }) => (isJsonObject(items) ? [items] : [])),
    );
    const items = value.map((item) => stripped(root, applied, item, added, depth + 1));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  let kept = value;
  for (const [name, applied] of membersOf(root, schemas)) {
    if (!Object.hasOwn(kept, name)) continue;
    const member = stripped(root, applied, kept[name] ?? null, added, depth + 1);
    if (member !== kept[name]) kept = { ...kept, [name]: member };
  }
  const unnamed = added(value).filter((name) => schemas.some((schema) => excludes(schema, name)));
  if (unnamed.length === 0) return kept;
  return Object.fromEntries(Object.entries(kept).filter(([name]) => !unnamed.includes(name)));
}

function excludes({ additionalProperties, properties, patternProperties }: JsonObject, name: string): boolean {
  if (additionalProperties !== false || patternProperties !== undefined) return false;
  return !isJsonObject(properties) || !Object.hasOwn(properties, name);
}
