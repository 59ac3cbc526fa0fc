import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

type Path = readonly (string | number)[];

/** A place in a schema for which no provider can guarantee the form of an answer. */
export interface StructureMisfit {
  readonly path: Path;
  readonly detail: string;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf'],
  ...['$ref', '$defs', 'title', 'description'],
]);
const MAX_DEPTH = 10;

/** Returns the first place that does not fit. Schemas that all providers accept as a response format have none. */
export function structureMisfit(schema: JsonObject): StructureMisfit | undefined {
  if (schema.type === 'object') return misfitIn(schema, [], 0);
  return { path: placeOf(schema, [], 'type'), detail: 'The `type` of the root must be `object`.' };
}

function misfitIn(schema: JsonValue, path: Path, outer: number): StructureMisfit | undefined {
  if (!isJsonObject(schema)) return { path, detail: 'A schema must be an object.' };
  const unknown = Object.keys(schema).find((key) => !KEYWORDS.has(key));
  if (unknown !== undefined) return { path: [...path, unknown], detail: `The keyword \`${unknown}\` is not possible.` };
  const depth = outer + (isOf(schema, 'object') || isOf(schema, 'array') ? 1 : 0);
  if (depth > MAX_DEPTH) return { path, detail: `A schema may be at most ${MAX_DEPTH} deep.` };
  const misfit = isOf(schema, 'object') ? misfitOfObject(schema, path) : undefined;
  if (misfit) return misfit;
  for (const [child, place] of childrenOf(schema, path)) {
    const found = misfitIn(child, place, depth);
    if (found) return found;
  }
  return undefined;
}

function misfitOfObject(schema: JsonObject, path: Path): StructureMisfit | undefined {
  if (schema.additionalProperties !== false) {
    const detail = 'An object must have `additionalProperties: false`.';
    return { path: placeOf(schema, path, 'additionalProperties'), detail };
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  const optional = names.find((name) => !required.includes(name));
  if (optional === undefined) return undefined;
  return { path: placeOf(schema, path, 'required'), detail: `\`required\` must contain \`${optional}\`.` };
}

function childrenOf({ items, anyOf, ...schema }: JsonObject, path: Path): [child: JsonValue, place: Path][] {
  const named = ['properties', '$defs'].flatMap((key) => {
    const members = schema[key];
    return isJsonObject(members) ? Object.entries(members).map(([name, child]) => [child, [...path, key, name]]) : [];
  }) as [JsonValue, Path][];
  const choices = (Array.isArray(anyOf) ? anyOf : []).map((child, index): [JsonValue, Path] => [
    child,
    [...path, 'anyOf', index],
  ]);
  return [...named, ...(items === undefined ? [] : [[items, [...path, 'items']] as [JsonValue, Path]]), ...choices];
}

function isOf({ type, properties, items }: JsonObject, kind: 'object' | 'array'): boolean {
  if (type === undefined) return (kind === 'object' ? properties : items) !== undefined;
  return type === kind || (Array.isArray(type) && type.includes(kind));
}

function placeOf(schema: JsonObject, path: Path, keyword: string): Path {
  return Object.hasOwn(schema, keyword) ? [...path, keyword] : path;
}
