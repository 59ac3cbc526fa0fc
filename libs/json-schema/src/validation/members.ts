import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { subschemaAt, type SchemaNodes } from './applicators.js';
import { patternTest } from './assertions.js';
import { hasKeyword } from './dialects.js';
import type { Check, Evaluation, SchemaNode, EvaluatedMembers, ValuePlace } from './schema-node.js';

type Pattern = { readonly matches: (text: string, run: Evaluation) => boolean; readonly inner: SchemaNode };

export function propertiesCheck(nodes: SchemaNodes, node: SchemaNode): Check | null {
  const { properties, patternProperties } = node.schema;
  const named = new Map(schemasByName(nodes, node, 'properties', properties));
  const patterns = schemasByName(nodes, node, 'patternProperties', patternProperties).flatMap(([source, inner]) => {
    const matches = patternTest(source, node, ['patternProperties', source]);
    return matches ? [{ matches, inner }] : [];
  });
  // If a pattern of `patternProperties` cannot be tested, it is unknown which properties are additional. In this case,
  // `additionalProperties` is not checked.
  const isUnclear = patternProperties !== undefined && node.unchecked.some(({ kind }) => kind === 'pattern');
  const hasRest = 'additionalProperties' in node.schema && !isUnclear;
  const rest = hasRest ? subschemaAt(nodes, node, ['additionalProperties'], 'below') : null;
  return (value, at, run, evaluated) => {
    if (!isJsonObject(value)) return true;
    let fits = true;
    for (const key of Object.keys(value)) {
      run.spend(1);
      const applied = schemasFor(key, named, patterns, run);
      const place = run.isQuiet ? null : { parent: at, key };
      for (const inner of applied) if (!run.applies(inner, value[key] ?? null, place, null)) fits = false;
      if (applied.length === 0 && rest && !checkAdditional(rest, node, value, place, at, run, key)) fits = false;
      if (applied.length > 0 || rest) evaluated?.keys.add(key);
      if (!fits && run.isQuiet) return false;
    }
    return fits;
  };
}

function schemasFor(
  key: string,
  named: ReadonlyMap<string, SchemaNode>,
  patterns: readonly Pattern[],
  run: Evaluation,
): SchemaNode[] {
  const own = named.get(key);
  const found = own ? [own] : [];
  for (const { matches, inner } of patterns) if (matches(key, run)) found.push(inner);
  return found;
}

function checkAdditional(
  rest: SchemaNode,
  node: SchemaNode,
  value: JsonObject,
  place: ValuePlace | null,
  at: ValuePlace | null,
  run: Evaluation,
  key: string,
): boolean {
  if (rest.place.schema !== false) return run.applies(rest, value[key] ?? null, place, null);
  const message = 'must NOT have additional properties';
  return node.fail('additionalProperties', value, at, run, { additionalProperty: key }, message);
}

function schemasByName(
  nodes: SchemaNodes,
  node: SchemaNode,
  keyword: string,
  schemas: JsonValue | undefined,
): [string, SchemaNode][] {
  if (schemas === undefined) return [];
  if (!isJsonObject(schemas)) {
    node.malformed(keyword);
    return [];
  }
  return Object.keys(schemas).flatMap((name) => {
    const inner = subschemaAt(nodes, node, [keyword, name], 'below');
    return inner ? [[name, inner] as [string, SchemaNode]] : [];
  });
}

export function itemsCheck(nodes: SchemaNodes, node: SchemaNode): Check | null {
  const { schema } = node;
  const isList = Array.isArray(schema.items);
  const hasPrefix = hasKeyword(node.dialect, 'prefixItems') && 'prefixItems' in schema;
  const first = hasPrefix || isList ? tupleOf(nodes, node, hasPrefix ? 'prefixItems' : 'items') : [];
  const others = isList ? 'additionalItems' : 'items';
  const rest = others in schema ? subschemaAt(nodes, node, [others], 'below') : null;
  if (first.length === 0 && !rest) return null;
  return (value, at, run, evaluated) => {
    if (!Array.isArray(value)) return true;
    const count = rest ? value.length : Math.min(first.length, value.length);
    if (evaluated) recordItems(evaluated, count, run);
    if (rest?.place.schema !== false || value.length <= first.length)
      return checkItems(value, count, at, run, first, rest);
    // If no further items are allowed, reports one error for the list instead of one error for each further item.
    const message = `must NOT have more than ${first.length} items`;
    const fits = node.fail('maxItems', value, at, run, { limit: first.length }, message);
    return checkItems(value, first.length, at, run, first, rest) && fits;
  };
}

function checkItems(
  items: readonly JsonValue[],
  count: number,
  at: ValuePlace | null,
  run: Evaluation,
  first: readonly (SchemaNode | null)[],
  rest: SchemaNode | null,
): boolean {
  let fits = true;
  for (let index = 0; index < count; index++) {
    const inner = index < first.length ? first[index] : rest;
    const place = run.isQuiet ? null : { parent: at, key: index };
    if (inner && !run.applies(inner, items[index] ?? null, place, null)) fits = false;
    if (!fits && run.isQuiet) break;
  }
  return fits;
}

function tupleOf(nodes: SchemaNodes, node: SchemaNode, keyword: string): (SchemaNode | null)[] {
  const schemas = node.schema[keyword];
  if (Array.isArray(schemas)) return schemas.map((_, index) => subschemaAt(nodes, node, [keyword, index], 'below'));
  node.malformed(keyword);
  return [];
}

function recordItems(evaluated: EvaluatedMembers, count: number, run: Evaluation): void {
  run.spend(count);
  for (let index = 0; index < count; index++) evaluated.keys.add(index);
}
