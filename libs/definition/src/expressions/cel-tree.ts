import type { ASTNode } from '@marcbachmann/cel-js';

/** Functions whose first argument is the name of the item variable. */
const BINDING_METHODS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
/** Functions that do not read the contents of their argument. */
const SHALLOW_FUNCTIONS = new Set(['has', 'type', 'dyn']);

export type Scan = 'none' | 'shallow' | 'deep';

/** One node of an expression and its context. */
export interface Visit {
  readonly node: ASTNode;
  readonly parent: ASTNode | undefined;
  /** How much of the value of the node its parent reads. */
  readonly scan: Scan;
  /** Names that enclosing comprehensions, such as `list.all(name, …)`, bind. */
  readonly bound: ReadonlySet<string>;
  /** Number of comprehensions around the node. */
  readonly nesting: number;
  /** True if the node only names the variable of a comprehension. */
  readonly isBinder: boolean;
}

const NOTHING_BOUND: ReadonlySet<string> = new Set();

/** All nodes of an expression, parents before their children. */
export function visitsOf(root: ASTNode): Visit[] {
  const visits: Visit[] = [
    { node: root, parent: undefined, scan: 'none', bound: NOTHING_BOUND, nesting: 0, isBinder: false },
  ];
  // The list grows while it is walked.
  for (const visit of visits) visits.push(...childrenOf(visit));
  return visits;
}

/** Whether the node is `list.map(x, …)` or another comprehension. */
export function isComprehension(node: ASTNode): boolean {
  return node.op === 'rcall' && BINDING_METHODS.has(node.args[0]) && node.args[2].length >= 2;
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
      return node.args[1].map((argument) => inside(argument, SHALLOW_FUNCTIONS.has(node.args[0]) ? 'none' : 'deep'));
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

/** Whether the node does not read the contents of its argument. `has(…)` only checks that the argument exists. */
export function isShallow(node: ASTNode): boolean {
  return node.op === 'call' && SHALLOW_FUNCTIONS.has(node.args[0]);
}

/** Returns `b` for the node `a` in `a.b` and `a["b"]`. */
export function memberName(node: ASTNode, parent: ASTNode | undefined): string | undefined {
  if (parent?.op === '.' && parent.args[0] === node) return parent.args[1];
  if (parent?.op !== '[]' || parent.args[0] !== node) return undefined;
  const [, index] = parent.args;
  return index.op === 'value' && typeof index.args === 'string' ? index.args : undefined;
}

function placed(at: Visit, node: ASTNode, scan: Scan, bound = at.bound, nesting = at.nesting, isBinder = false): Visit {
  return { node, parent: at.node, scan, bound, nesting, isBinder };
}

function methodChildren(at: Visit, method: string, receiver: ASTNode, args: readonly ASTNode[]): Visit[] {
  const [first, ...rest] = args;
  const isBind = receiver.op === 'id' && receiver.args === 'cel' && method === 'bind';
  if (first?.op !== 'id' || !(isBind || isComprehension(at.node))) {
    return [receiver, ...args].map((operand) => placed(at, operand, 'deep'));
  }
  const bound = new Set([...at.bound, first.args]);
  const binder = placed(at, first, 'none', at.bound, at.nesting, true);
  if (!isBind) {
    const inner = rest.map((argument) => placed(at, argument, 'none', bound, at.nesting + 1));
    return [placed(at, receiver, 'shallow'), binder, ...inner];
  }
  const [value, body] = rest;
  return [binder, ...(value ? [placed(at, value, 'none')] : []), ...(body ? [placed(at, body, 'none', bound)] : [])];
}
