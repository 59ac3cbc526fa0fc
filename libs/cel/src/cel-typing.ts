import type { Environment } from '@marcbachmann/cel-js';
import { type ExpressionScope, waitsForCallbacks } from './cel-names.js';
import { memberName, type Visit } from './cel-tree.js';
import { type CelType, type KnownFields, STEP_FIELDS } from './cel-types.js';

type Fields = Exclude<CelType, string>;

export interface Typing {
  readonly environment: Environment;
  readonly fieldsAt: (path: readonly string[]) => KnownFields | undefined;
}

const CACHED = 256;
const environments = new Map<string, Environment>();

/**
 * Other names are left out, so that expressions that mention the same names share an environment. Creating an
 * environment takes 0.3 ms.
 */
export function typingOf(visits: readonly Visit[], scope: ExpressionScope, base: Environment): Typing | undefined {
  const types = new Map<string, Fields>();
  for (const name of mentioned(visits, scope)) {
    const type = name === 'steps' ? stepTypes(visits, scope) : scope.shapes?.get(name)?.type;
    if (typeof type === 'object') types.set(name, type);
  }
  if (types.size === 0) return undefined;
  const environment = environmentFor(types, scope, base);
  return environment && { environment, fieldsAt: (path) => fieldsAt(path, types, scope) };
}

function mentioned(visits: readonly Visit[], { names }: ExpressionScope): Set<string> {
  const ids = visits.filter(({ node, isBinder, bound }) => node.op === 'id' && !isBinder && !bound.has(node.args));
  return new Set(ids.flatMap(({ node }) => (node.op === 'id' && names.has(node.args) ? [node.args] : [])));
}

/** Returns undefined if only outputs of unknown types are read, or if the id of a step is computed. */
function stepTypes(visits: readonly Visit[], { stepOutput }: ExpressionScope): Fields | undefined {
  const types: Record<string, Fields> = {};
  const waits = waitsForCallbacks(visits);
  for (const { node, parent, bound, isBinder } of visits) {
    if (node.op !== 'id' || node.args !== 'steps' || isBinder || bound.has('steps')) continue;
    const id = memberName(node, parent);
    if (id === undefined || (parent && waits.has(parent))) return undefined;
    types[id] = { output: stepOutput?.(id)?.type ?? 'dyn', ...STEP_FIELDS };
  }
  const readsMore = visits.some(({ node }) => node.op === '.' && node.args[1] in STEP_FIELDS);
  return readsMore || Object.values(types).some(({ output }) => output !== 'dyn') ? types : undefined;
}

function environmentFor(
  types: ReadonlyMap<string, Fields>,
  scope: ExpressionScope,
  base: Environment,
): Environment | undefined {
  const key = [...types].map(([name, type]) => `${name}=${textOf(type)}`).join(';');
  const known = environments.get(key);
  if (known) return known;
  if (scope.budget && scope.budget.environments-- <= 0) return undefined;
  const environment = base.clone();
  for (const [name, type] of types) environment.registerVariable(name, { schema: mutable(type) });
  if (environments.size >= CACHED) environments.clear();
  environments.set(key, environment);
  return environment;
}

const texts = new WeakMap<object, string>();

function textOf(type: Fields): string {
  const text = texts.get(type) ?? JSON.stringify(type);
  texts.set(type, text);
  return text;
}

type MutableFields = { [field: string]: string | MutableFields };

function mutable(type: Fields): MutableFields {
  return Object.fromEntries(
    Object.entries(type).map(([field, inner]) => [field, typeof inner === 'string' ? inner : mutable(inner)]),
  );
}

function fieldsAt(
  path: readonly string[],
  types: ReadonlyMap<string, Fields>,
  scope: ExpressionScope,
): KnownFields | undefined {
  const [root = '', ...rest] = path;
  let type: CelType | undefined = types.get(root);
  for (const part of rest) type = typeof type === 'object' ? type[part] : undefined;
  if (typeof type !== 'object') return undefined;
  return { fields: Object.keys(type).slice(0, 20), owner: ownerOf(path, scope) };
}

function ownerOf(path: readonly string[], { shapes }: ExpressionScope): string {
  const [root = '', id = '', member] = path;
  if (root === 'steps') return member === undefined ? `Step \`${id}\`` : `The ${member} of step \`${id}\``;
  const owner = shapes?.get(root)?.owner ?? `\`${root}\``;
  return path.length === 1 ? owner : `${owner} of \`${path.join('.')}\``;
}
