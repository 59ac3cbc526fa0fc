import type { ASTNode } from '@marcbachmann/cel-js';

interface Binding {
  readonly variables: number;
  readonly outside?: number;
  readonly isLoop: boolean;
}

const LOOP: Binding = { variables: 1, isLoop: true };
/** The methods that introduce variables, by name and number of arguments. */
const BINDING_METHODS: ReadonlyMap<string, Binding> = new Map([
  ['all/2', LOOP],
  ['exists/2', LOOP],
  ['exists_one/2', LOOP],
  ['map/2', LOOP],
  ['map/3', LOOP],
  ['filter/2', LOOP],
  ['sortBy/2', LOOP],
  ['groupBy/2', LOOP],
  ['reduce/4', { variables: 2, outside: 2, isLoop: true }],
  ['optMap/2', { variables: 1, isLoop: false }],
  ['optFlatMap/2', { variables: 1, isLoop: false }],
]);
const SHALLOW_FUNCTIONS = new Set(['has', 'type', 'dyn', 'hasValue']);

export type Scan = 'none' | 'size' | 'shallow' | 'deep';

export interface Visit {
  readonly node: ASTNode;
  readonly parent: ASTNode | undefined;
  readonly scan: Scan;
  readonly bound: ReadonlySet<string>;
  readonly nesting: number;
  readonly isBinder: boolean;
}

const NOTHING_BOUND: ReadonlySet<string> = new Set();

export function visitsOf(root: ASTNode): Visit[] {
  const visits: Visit[] = [
    { node: root, parent: undefined, scan: 'none', bound: NOTHING_BOUND, nesting: 0, isBinder: false },
  ];
  // The loop also visits the nodes that are appended while it runs.
  for (const visit of visits) visits.push(...childrenOf(visit));
  return visits;
}

export function isComprehension(node: ASTNode): boolean {
  return bindingOf(node)?.isLoop === true;
}

function bindingOf(node: ASTNode): Binding | undefined {
  return node.op === 'rcall' ? BINDING_METHODS.get(`${node.args[0]}/${node.args[2].length}`) : undefined;
}

function childrenOf(at: Visit): Visit[] {
  const { node } = at;
  const inside = (child: ASTNode, scan: Scan = 'none'): Visit => placed(at, child, scan);
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [inside(node.args[0])];
    case '!_':
    case '-_':
      return [inside(node.args)];
    case 'list':
      return node.args.map((item) => inside(item));
    case 'map':
      return node.args.flatMap(([key, value]) => [inside(key), inside(value)]);
    case 'call':
      return node.args[1].map((argument) => inside(argument, scanOf(node.args[0])));
    case 'rcall':
      return methodChildren(at, node.args[0], node.args[1], node.args[2]);
    case 'in':
      return [inside(node.args[0]), inside(node.args[1], 'deep')];
    case '==':
    case '!=':
    case '+':
      return node.args.map((operand) => inside(operand, 'deep'));
    default:
      return node.args.map((operand) => inside(operand));
  }
}

function scanOf(name: string): Scan {
  if (name === 'size') return 'size';
  return SHALLOW_FUNCTIONS.has(name) ? 'none' : 'deep';
}

/** `has(…)` only checks that the argument exists. */
export function isShallow(node: ASTNode): boolean {
  return node.op === 'call' && SHALLOW_FUNCTIONS.has(node.args[0]);
}

/** For the node `a` in `a.b`, `a.?b`, `a["b"]` and `a[?"b"]`, returns the name of the member, `b`. */
export function memberName(node: ASTNode, parent: ASTNode | undefined): string | undefined {
  if ((parent?.op === '.' || parent?.op === '.?') && parent.args[0] === node) return parent.args[1];
  if ((parent?.op !== '[]' && parent?.op !== '[?]') || parent.args[0] !== node) return undefined;
  const [, index] = parent.args;
  return index.op === 'value' && typeof index.args === 'string' ? index.args : undefined;
}

export function memberPath(node: ASTNode): string[] | undefined {
  if (node.op === 'id') return [node.args];
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const owner = memberPath(node.args[0]);
  const name = memberName(node.args[0], node);
  return owner && name !== undefined ? [...owner, name] : undefined;
}

function placed(at: Visit, node: ASTNode, scan: Scan, bound = at.bound, nesting = at.nesting, isBinder = false): Visit {
  return { node, parent: at.node, scan, bound, nesting, isBinder };
}

function methodChildren(at: Visit, method: string, receiver: ASTNode, args: readonly ASTNode[]): Visit[] {
  const [first, ...rest] = args;
  if (receiver.op === 'id' && receiver.args === 'cel' && method === 'bind' && first?.op === 'id') {
    const bound = new Set([...at.bound, first.args]);
    const [value, body] = rest;
    const binder = placed(at, first, 'none', at.bound, at.nesting, true);
    return [binder, ...(value ? [placed(at, value, 'none')] : []), ...(body ? [placed(at, body, 'none', bound)] : [])];
  }
  const binding = bindingOf(at.node);
  const variables = binding ? args.slice(0, binding.variables) : [];
  const names = variables.flatMap((variable) => (variable.op === 'id' ? [variable.args] : []));
  if (!binding || names.length < variables.length) {
    return [receiver, ...args].map((operand) => placed(at, operand, scanOf(method)));
  }
  const bound = new Set([...at.bound, ...names]);
  const nesting = binding.isLoop ? at.nesting + 1 : at.nesting;
  const inner = args.map((argument, index) => {
    if (index < variables.length) return placed(at, argument, 'none', at.bound, at.nesting, true);
    return index === binding.outside ? placed(at, argument, 'none') : placed(at, argument, 'none', bound, nesting);
  });
  return [placed(at, receiver, 'shallow'), ...inner];
}
