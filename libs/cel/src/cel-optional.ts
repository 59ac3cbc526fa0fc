import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { ASTNode } from '@marcbachmann/cel-js';
import type { ExpressionScope } from './cel-names.js';
import { isShallow, type Visit } from './cel-tree.js';
import type { KnownShape } from './cel-types.js';

/**
 * Reports each optional field that the expression reads without `has()`. The expression fails in runs that lack the
 * field, because a missing field is an error in CEL.
 */
export function tellOptionalFields(source: string, visits: readonly Visit[], scope: ExpressionScope): void {
  const { onOptional, shapes } = scope;
  if (!onOptional || !shapes) return;
  const asked = new Set(visits.flatMap(({ node }) => askedText(source, node)));
  for (const { node, parent, bound } of visits) {
    if (node.op !== '.' || (parent && isShallow(parent))) continue;
    const path = pathOf(node);
    const [root = '', ...rest] = path ?? [];
    const shape = shapes.get(root);
    if (!shape || bound.has(root) || !mayBeMissing(shape, rest)) continue;
    const text = source.slice(node.start, node.end);
    if (!asked.has(text)) onOptional(text, node.start);
  }
}

function askedText(source: string, node: ASTNode): string[] {
  if (node.op !== 'call' || node.args[0] !== 'has') return [];
  return node.args[1].map(({ start, end }) => source.slice(start, end));
}

function pathOf(node: ASTNode): string[] | undefined {
  if (node.op === 'id') return [node.args];
  if (node.op !== '.') return undefined;
  const owner = pathOf(node.args[0]);
  return owner && [...owner, node.args[1]];
}

function mayBeMissing({ schema, hasDefault }: KnownShape, path: readonly string[]): boolean {
  return schema !== undefined && isOptional(schema, path) && hasDefault?.(path) !== true;
}

function isOptional(schema: JsonObject, path: readonly string[]): boolean {
  let at: JsonValue | undefined = schema;
  for (const part of path.slice(0, -1)) at = propertyOf(at, part);
  const last = path.at(-1);
  if (last === undefined || !isJsonObject(at) || propertyOf(at, last) === undefined) return false;
  return !(Array.isArray(at.required) && at.required.includes(last));
}

function propertyOf(schema: JsonValue | undefined, name: string): JsonValue | undefined {
  const properties = isJsonObject(schema) ? schema.properties : undefined;
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
