import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { everyCheck, dependentNamesCheck, isNameList, type Keyword } from './assertions.js';
import { hasKeyword } from './dialects.js';
import type { Path, SchemaDocument, SchemaPlace } from './schema-document.js';
import { type Check, type Evaluation, type SchemaNode, EvaluatedMembers } from './schema-node.js';

export interface SchemaNodes {
  readonly document: SchemaDocument;
  nodeAt(place: SchemaPlace): SchemaNode;
}

export type SchemaKeyword = (nodes: SchemaNodes, ...args: Parameters<Keyword>) => ReturnType<Keyword>;

export const APPLICATORS: Readonly<Record<string, SchemaKeyword>> = {
  $ref: (nodes, reference, node) => {
    const target = typeof reference === 'string' ? nodes.document.resolve(reference, node.place) : undefined;
    if (!target) return unresolvedReference('$ref', reference, node);
    const referred = inPlace(nodes, target, node);
    return (value, at, run, evaluated) => run.applies(referred, value, at, evaluated);
  },
  $dynamicRef: (nodes, reference, node) => dynamicReferenceCheck(nodes, reference, node, '$dynamicRef'),
  $recursiveRef: (nodes, reference, node) => dynamicReferenceCheck(nodes, reference, node, '$recursiveRef'),
  not: (nodes, _, node) => {
    const inner = subschemaAt(nodes, node, ['not'], 'inPlace');
    return (
      inner &&
      ((value, at, run) => !run.fits(inner, value, null) || node.fail('not', value, at, run, {}, 'must NOT be valid'))
    );
  },
  anyOf: (nodes, _, node) => {
    const branches = subschemaList(nodes, node, 'anyOf');
    return (
      branches &&
      ((value, at, run, evaluated) =>
        countFitting(branches, value, run, evaluated, evaluated ? Infinity : 1) > 0 ||
        node.fail('anyOf', value, at, run, {}, 'must match a schema in anyOf'))
    );
  },
  oneOf: (nodes, _, node) => {
    const branches = subschemaList(nodes, node, 'oneOf');
    return (
      branches &&
      ((value, at, run, evaluated) =>
        countFitting(branches, value, run, evaluated, 2) === 1 ||
        node.fail('oneOf', value, at, run, {}, 'must match exactly one schema in oneOf'))
    );
  },
  allOf: (nodes, _, node) => {
    const parts = subschemaList(nodes, node, 'allOf');
    return (
      parts &&
      everyCheck(
        parts.map(
          (part): Check =>
            (value, at, run, evaluated) =>
              run.applies(part, value, at, evaluated),
        ),
      )
    );
  },
  if: (nodes, _, node) => {
    const condition = subschemaAt(nodes, node, ['if'], 'inPlace');
    const [then, otherwise] = ['then', 'else'].map((name) =>
      name in node.schema ? subschemaAt(nodes, node, [name], 'inPlace') : null,
    );
    if (!condition) return null;
    return (value, at, run, evaluated) => {
      const own = evaluated && new EvaluatedMembers();
      const fits = run.fits(condition, value, own);
      if (fits && own) evaluated.add(own, run);
      const branch = fits ? then : otherwise;
      return !branch || run.applies(branch, value, at, evaluated);
    };
  },
  dependentSchemas: (nodes, schemas, node) => {
    if (!isJsonObject(schemas)) return node.malformed('dependentSchemas');
    return everyCheck(
      Object.keys(schemas).flatMap((name) => dependentSchemaCheck(nodes, node, 'dependentSchemas', name) ?? []),
    );
  },
  dependencies: (nodes, dependencies, node) => {
    if (!isJsonObject(dependencies)) return node.malformed('dependencies');
    return everyCheck(
      Object.entries(dependencies).flatMap(
        ([name, rule]) =>
          (isNameList(rule)
            ? dependentNamesCheck(name, rule, node, 'dependencies')
            : dependentSchemaCheck(nodes, node, 'dependencies', name)) ?? [],
      ),
    );
  },
  propertyNames: (nodes, _, node) => {
    const names = subschemaAt(nodes, node, ['propertyNames'], 'below');
    if (!names) return null;
    const test =
      (name: string): Check =>
      (value, at, run) =>
        run.fits(names, name, null) ||
        node.fail('propertyNames', value, at, run, { propertyName: name }, 'property name must be valid');
    return (value, at, run, evaluated) =>
      !isJsonObject(value) || everyCheck(Object.keys(value).map(test))(value, at, run, evaluated);
  },
  contains: containsCheck,
};

/** Keywords for properties and items that no other keyword has evaluated. These keywords are checked last. */
export const UNEVALUATED: Readonly<Record<string, SchemaKeyword>> = {
  unevaluatedProperties: (nodes, _, node) =>
    unevaluatedCheck(nodes, node, 'unevaluatedProperties', (value) => (isJsonObject(value) ? Object.keys(value) : [])),
  unevaluatedItems: (nodes, _, node) =>
    unevaluatedCheck(nodes, node, 'unevaluatedItems', (value) => (Array.isArray(value) ? [...value.keys()] : [])),
};

function unevaluatedCheck(
  nodes: SchemaNodes,
  node: SchemaNode,
  keyword: string,
  membersOf: (value: JsonValue) => (string | number)[],
): Check | null {
  const rest = subschemaAt(nodes, node, [keyword], 'below');
  if (!rest) return null;
  return (value, at, run, evaluated) => {
    let fits = true;
    for (const key of membersOf(value)) {
      run.spend(1);
      if (evaluated?.keys.has(key)) continue;
      const inner = isJsonObject(value) ? value[key] : Array.isArray(value) ? value[Number(key)] : undefined;
      const allowed =
        rest.place.schema === false
          ? node.fail(
              keyword,
              value,
              at,
              run,
              typeof key === 'string' ? { unevaluatedProperty: key } : { len: key },
              `must NOT have unevaluated ${typeof key === 'string' ? 'properties' : 'items'}`,
            )
          : run.applies(rest, inner ?? null, { parent: at, key }, null);
      if (!allowed) fits = false;
      if (!fits && run.isQuiet) return false;
      evaluated?.keys.add(key);
    }
    return fits;
  };
}

function containsCheck(nodes: SchemaNodes, _: JsonValue, node: SchemaNode): Check | null {
  const items = subschemaAt(nodes, node, ['contains'], 'below');
  if (!items) return null;
  const count = (name: string): number | undefined => {
    const bound = hasKeyword(node.dialect, name) ? node.schema[name] : undefined;
    if (bound !== undefined && typeof bound !== 'number') node.malformed(name);
    return typeof bound === 'number' ? bound : undefined;
  };
  const [min, max] = [count('minContains') ?? 1, count('maxContains')];
  const bounds = max === undefined ? `at least ${min}` : `at least ${min} and no more than ${max}`;
  return (value, at, run, evaluated) => {
    if (!Array.isArray(value)) return true;
    let found = 0;
    for (const [index, item] of value.entries()) {
      if (found >= min && max === undefined && !evaluated) break;
      if (!run.fits(items, item, null)) continue;
      found += 1;
      if (node.dialect.rank >= 2020) evaluated?.keys.add(index);
    }
    if (found >= min && (max === undefined || found <= max)) return true;
    const params = { minContains: min, ...(max !== undefined && { maxContains: max }) };
    return node.fail('contains', value, at, run, params, `must contain ${bounds} valid item(s)`);
  };
}

function dependentSchemaCheck(nodes: SchemaNodes, node: SchemaNode, keyword: string, name: string): Check | null {
  const inner = subschemaAt(nodes, node, [keyword, name], 'inPlace');
  return (
    inner &&
    ((value, at, run, evaluated) => {
      run.spend(1);
      return !isJsonObject(value) || !Object.hasOwn(value, name) || run.applies(inner, value, at, evaluated);
    })
  );
}

function countFitting(
  branches: readonly SchemaNode[],
  value: JsonValue,
  run: Evaluation,
  evaluated: EvaluatedMembers | null,
  enough: number,
): number {
  let fit = 0;
  for (const branch of branches) {
    const own = evaluated && new EvaluatedMembers();
    if (!run.fits(branch, value, own)) continue;
    if (own) evaluated.add(own, run);
    fit += 1;
    if (fit >= enough) break;
  }
  return fit;
}

/**
 * If the reference names a dynamic anchor, the check applies the outermost schema with this anchor among the schemas
 * that are being evaluated.
 */
function dynamicReferenceCheck(
  nodes: SchemaNodes,
  reference: JsonValue,
  node: SchemaNode,
  keyword: string,
): Check | null {
  const target = typeof reference === 'string' ? nodes.document.resolve(reference, node.place) : undefined;
  if (!target || typeof reference !== 'string') return unresolvedReference(keyword, reference, node);
  const anchor = keyword === '$recursiveRef' ? '' : reference.slice(reference.indexOf('#') + 1);
  const fixed = inPlace(nodes, target, node);
  if (target.resource.dynamicAnchors.get(anchor)?.schema !== target.schema) {
    return (value, at, run, evaluated) => run.applies(fixed, value, at, evaluated);
  }
  for (const place of nodes.document.dynamicTargets(anchor)) inPlace(nodes, place, node);
  return (value, at, run, evaluated) => {
    run.spend(run.scope.length);
    const place = run.scope.find(({ dynamicAnchors }) => dynamicAnchors.has(anchor))?.dynamicAnchors.get(anchor);
    return run.applies(place ? nodes.nodeAt(place) : fixed, value, at, evaluated);
  };
}

function unresolvedReference(keyword: string, reference: JsonValue, node: SchemaNode): null {
  if (typeof reference !== 'string') return node.malformed(keyword);
  return node.skip(
    'reference',
    [keyword],
    `The reference \`${reference}\` does not point to a schema of the document.`,
  );
}

function inPlace(nodes: SchemaNodes, place: SchemaPlace, node: SchemaNode): SchemaNode {
  const target = nodes.nodeAt(place);
  node.inPlace.push(target);
  return target;
}

/** If there is no schema at the path, reports the keyword as malformed and returns null. */
export function subschemaAt(
  nodes: SchemaNodes,
  node: SchemaNode,
  path: Path,
  use: 'inPlace' | 'below',
): SchemaNode | null {
  let value: JsonValue | undefined = node.schema;
  for (const key of path) value = Array.isArray(value) ? value[Number(key)] : (value as JsonObject | undefined)?.[key];
  if (typeof value !== 'boolean' && !isJsonObject(value)) return node.malformed(String(path[0]));
  const found = nodes.nodeAt(nodes.document.placeOf(value, [...node.place.path, ...path], node.place));
  node[use].push(found);
  return found;
}

function subschemaList(nodes: SchemaNodes, node: SchemaNode, keyword: string): SchemaNode[] | null {
  const schemas = node.schema[keyword];
  if (!Array.isArray(schemas) || schemas.length === 0) return node.malformed(keyword);
  return schemas.flatMap((_, index) => subschemaAt(nodes, node, [keyword, index], 'inPlace') ?? []);
}
