import type { ASTNode } from '@marcbachmann/cel-js';
import { didYouMean, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { ExpressionScope } from './cel-names.js';
import { memberPath, type Visit } from './cel-tree.js';
import { type CelType, type KnownOutput, STEP_FIELDS, STEP_STATUS } from './cel-types.js';
import { ExpressionError } from './expression.js';

type Kind = 'text' | 'number' | 'bool' | 'list' | 'object';

interface Operand {
  readonly node: ASTNode;
  /** Undefined if values of any kind are possible. */
  readonly kind?: Kind;
  readonly items?: Kind;
  readonly values?: readonly JsonValue[];
  readonly literal?: JsonValue;
  readonly type?: CelType;
}

const KIND_NAMES: Readonly<Record<Kind, string>> = {
  text: 'a string',
  number: 'a number',
  bool: 'true or false',
  list: 'a list',
  object: 'an object',
};

/**
 * Rejects comparisons whose result never depends on the data: comparisons of different types (`tool == "orders.pay"`),
 * and comparisons of an enum with a value that the enum does not contain (`tool.scope == "wirte"`). CEL reports no
 * error for them, so a policy with such a condition would apply never or always.
 */
export function findImpossibleComparisons(source: string, visits: readonly Visit[], scope: ExpressionScope): void {
  for (const visit of visits) {
    const { node } = visit;
    if (node.op !== '==' && node.op !== '!=' && node.op !== 'in') continue;
    const operandOf = (side: ASTNode): Operand => describeOperand(side, visit.bound, scope);
    const [left, right] = [operandOf(node.args[0]), operandOf(node.args[1])];
    const problem = node.op === 'in' ? membershipProblem(left, right, operandOf) : equalityProblem(left, right);
    if (problem) throw explain(source, node, problem);
  }
}

type Impossible =
  | { readonly reason: 'kinds'; readonly left: Operand; readonly right: Operand; readonly rightKind: Kind }
  | { readonly reason: 'value'; readonly choice: Operand; readonly value: JsonValue; readonly at: ASTNode };

function equalityProblem(left: Operand, right: Operand): Impossible | undefined {
  if (left.literal === null || right.literal === null) return undefined;
  if (left.kind && right.kind && left.kind !== right.kind)
    return { reason: 'kinds', left, right, rightKind: right.kind };
  return lackedValue(left, right) ?? lackedValue(right, left);
}

function lackedValue(choice: Operand, other: Operand): Impossible | undefined {
  const { literal } = other;
  if (!choice.values || literal === undefined || choice.values.includes(literal)) return undefined;
  return { reason: 'value', choice, value: literal, at: other.node };
}

function membershipProblem(
  left: Operand,
  right: Operand,
  operandOf: (node: ASTNode) => Operand,
): Impossible | undefined {
  const { kind, items } = right;
  if (left.literal === null) return undefined;
  // The keys of a map literal may be numbers that become strings.
  if (kind === 'object' && right.node.op !== 'map' && left.kind && left.kind !== 'text')
    return { reason: 'kinds', left, right, rightKind: 'text' };
  if (items && left.kind && left.kind !== items) return { reason: 'kinds', left, right, rightKind: items };
  if (right.node.op !== 'list') return undefined;
  const problems = right.node.args.map((item) => equalityProblem(left, operandOf(item)));
  // The list after `in` may mix types on purpose. A wrong type is therefore an error only if no item can equal the left
  // side. A value that the enum does not contain is always an error.
  const isNeverTrue = problems.length > 0 && problems.every((problem) => problem !== undefined);
  return problems.find((problem) => problem?.reason === 'value') ?? (isNeverTrue ? problems[0] : undefined);
}

function describeOperand(node: ASTNode, bound: ReadonlySet<string>, scope: ExpressionScope): Operand {
  if (node.op === 'value') return literalOperand(node, node.args);
  if (node.op === '-_' && node.args.op === 'value' && isNumber(node.args.args)) {
    return literalOperand(node, -Number(node.args.args));
  }
  const path = memberPath(node);
  const known = path && !bound.has(path[0] ?? '') ? knownAt(path, scope) : undefined;
  return known ? { node, ...known } : { node, ...checkedKind(node) };
}

function literalOperand(node: ASTNode, value: unknown): Operand {
  if (value === null) return { node, literal: null };
  if (typeof value === 'string') return { node, kind: 'text', literal: value };
  if (typeof value === 'boolean') return { node, kind: 'bool', literal: value };
  return isNumber(value) ? { node, kind: 'number', literal: Number(value) } : { node };
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function knownAt(path: readonly string[], scope: ExpressionScope): Omit<Operand, 'node'> | undefined {
  const [root = '', ...rest] = path;
  if (root === 'steps') {
    const [id = '', member, ...inner] = rest;
    return knownInside(shapeOfMember(member, scope.stepOutput?.(id)), inner);
  }
  return knownInside(scope.shapes?.get(root), rest);
}

function shapeOfMember(member: string | undefined, output: KnownOutput | undefined): KnownOutput | undefined {
  if (member === 'output') return output;
  if (member === 'error') return { type: STEP_FIELDS.error };
  return member === 'status' ? { type: STEP_FIELDS.status, schema: STEP_STATUS } : undefined;
}

function knownInside(shape: KnownOutput | undefined, path: readonly string[]): Omit<Operand, 'node'> | undefined {
  if (!shape) return undefined;
  const values = valuesOf(schemaAt(shape.schema, path));
  return { ...knownType(typeAt(shape.type, path)), ...(values && { values }) };
}

function typeAt(type: CelType | undefined, path: readonly string[]): CelType | undefined {
  let at = type;
  for (const part of path) at = typeof at === 'object' ? at[part] : undefined;
  return at;
}

function schemaAt(schema: JsonObject | undefined, path: readonly string[]): JsonObject | undefined {
  let at: JsonValue | undefined = schema;
  for (const part of path) {
    const properties: JsonValue | undefined = isJsonObject(at) ? at.properties : undefined;
    at = isJsonObject(properties) && Object.hasOwn(properties, part) ? properties[part] : undefined;
  }
  return isJsonObject(at) ? at : undefined;
}

function valuesOf(schema: JsonObject | undefined): readonly JsonValue[] | undefined {
  const values = schema?.const === undefined ? schema?.enum : [schema.const];
  const isPlain = Array.isArray(values) && values.every((value) => value === null || typeof value !== 'object');
  return isPlain ? values : undefined;
}

function knownType(type: CelType | undefined): Omit<Operand, 'node'> {
  if (type === undefined) return {};
  if (typeof type === 'object') return { kind: 'object', type };
  const items = /^list<(.*)>$/.exec(type)?.[1];
  const kind = kindNamed(type);
  const itemKind = items === undefined ? undefined : kindNamed(items);
  return { ...(kind && { kind }), ...(itemKind && { items: itemKind }) };
}

function checkedKind(node: ASTNode): Omit<Operand, 'node'> {
  const type: unknown = 'checkedType' in node ? node.checkedType : undefined;
  const isNamed = typeof type === 'object' && type !== null && 'name' in type && typeof type.name === 'string';
  return isNamed ? knownType(String(type.name)) : {};
}

function kindNamed(type: string): Kind | undefined {
  if (type.startsWith('list')) return 'list';
  if (type.startsWith('map')) return 'object';
  const kinds: Readonly<Record<string, Kind>> = {
    string: 'text',
    bool: 'bool',
    int: 'number',
    uint: 'number',
    double: 'number',
  };
  return kinds[type];
}

function explain(source: string, node: ASTNode, problem: Impossible): ExpressionError {
  const text = (part: ASTNode): string => source.slice(part.start, part.end);
  const always = node.op === '!=' ? 'always true' : 'never true';
  if (problem.reason === 'value') {
    const { choice, value, at } = problem;
    const known = choice.values ?? [];
    const words = known.map((one) => `\`${JSON.stringify(one)}\``).join(', ');
    const detail = `\`${text(node)}\` is ${always}, because \`${text(choice.node)}\` can only be one of ${words}.`;
    const names = known.filter((one) => typeof one === 'string');
    const suggestion = typeof value === 'string' ? didYouMean(value, names) : undefined;
    return new ExpressionError('type', detail, source, suggestion, at.start);
  }
  const { left, right, rightKind } = problem;
  const items = right.kind === rightKind ? '' : right.kind === 'object' ? 'each key of ' : 'each item of ';
  const detail =
    `\`${text(node)}\` is ${always}, because \`${text(left.node)}\` is ${KIND_NAMES[left.kind ?? 'object']} ` +
    `and ${items}\`${text(right.node)}\` is ${KIND_NAMES[rightKind]}.`;
  return new ExpressionError('type', detail, source, fieldHint(left, text) ?? fieldHint(right, text), node.start);
}

/** Suggests a field to compare, because authors write `tool == "orders.pay"` and mean a field of `tool`. */
function fieldHint({ node, type }: Operand, text: (node: ASTNode) => string): string | undefined {
  if (typeof type !== 'object') return undefined;
  const fields = Object.keys(type);
  const field = fields.includes('name') ? 'name' : fields[0];
  return field === undefined ? undefined : `Compare a field of the object, such as \`${text(node)}.${field}\`.`;
}
