import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { invariant } from '@app/kernel';
import { NAMESPACES } from './function-spec.js';
import { engineName, isFunction, takesNamespace, writtenName } from './function-registry.js';
import { type Changeable, correctBytes, correctOperator } from './cel-operators.js';
import { correctAccess, correctMap, correctText } from './cel-values.js';
import { type KnownType, RESULT_TYPES, typedResult } from './result-types.js';
import { type Visit, visitsOf } from './cel-tree.js';

const callBehaviour = changeable(new Environment().parse('size("")').ast).meta;

export function correctNodes(root: ASTNode, source: string): void {
  for (const { node, isBinder } of visitsOf(root)) {
    if (isBinder) continue;
    correctOperator(changeable(node));
    correctAccess(changeable(node));
    correctMap(changeable(node));
    correctText(changeable(node));
    correctBytes(node, source);
  }
}

/** For example, `math.ceil(x)` becomes a call of one function instead of a method of a variable `math`. */
export function rewriteCalls(root: ASTNode): void {
  for (const { node } of visitsOf(root)) {
    if (node.op === 'rcall') rewriteMethod(node);
    else if (node.op === 'call') node.args[0] = engineName(node.args[0]);
    if (node.op === 'rcall' || node.op === 'call') refineType(node);
  }
}

function rewriteMethod(node: Extract<ASTNode, { op: 'rcall' }>): void {
  const [method, receiver, args] = node.args;
  const name = receiver.op === 'id' && NAMESPACES.has(receiver.args) ? `${receiver.args}.${method}` : undefined;
  if (name === undefined || name === 'cel.bind' || !isFunction(name)) {
    node.args[0] = engineName(method);
    return;
  }
  const all = takesNamespace(name) ? [receiver, ...args] : args;
  const call = changeable(node);
  Object.assign(call, { op: 'call', args: [name, all] });
  call.setMeta('check', callBehaviour.check);
  call.setMeta('evaluate', callBehaviour.evaluate);
}

/** Gives a call a more precise result type if the type depends on the arguments. */
function refineType(node: Extract<ASTNode, { op: 'rcall' | 'call' }>): void {
  const resultType = RESULT_TYPES.get(writtenName(node.args[0]));
  if (!resultType) return;
  const call = changeable(node);
  const { check, evaluate } = call.meta;
  let type: KnownType | undefined;
  call.setMeta('check', (checker, ast, context) => {
    const declared = check(checker, ast, context);
    const receiver = node.op === 'rcall' ? checker.check(node.args[1], context) : undefined;
    const args = (node.op === 'rcall' ? node.args[2] : node.args[1]).map((part) => checker.check(part, context));
    const name = resultType(receiver, args);
    type = name === undefined ? declared : checker.getType(name);
    return type;
  });
  call.setMeta('evaluate', (evaluator, ast, context) => {
    const value = evaluate(evaluator, ast, context);
    return type ? typedResult(value, type) : value;
  });
}

/**
 * Renames variables in scope that have the name of a constant of the engine, such as `optional`. Returns the new name
 * of each renamed variable.
 */
export function renameShadowed(
  visits: readonly Visit[],
  names: ReadonlySet<string>,
  isConstant: (name: string) => boolean,
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  for (const { node, bound, isBinder } of visits) {
    if (node.op !== 'id' || isBinder || bound.has(node.args) || !names.has(node.args) || !isConstant(node.args))
      continue;
    const name = `${node.args}*`;
    renamed.set(node.args, name);
    Object.assign(node, { args: name });
  }
  return renamed;
}

export function setAlternate(node: ASTNode, alternate: ASTNode, access: ASTNode): void {
  correctAccess(changeable(access));
  changeable(node).setMeta('alternate', alternate);
}

function changeable(node: ASTNode): Changeable {
  invariant(isChangeable(node), 'the behaviour of a node of the expression engine can be replaced');
  return node;
}

function isChangeable(node: ASTNode): node is Changeable {
  return 'setMeta' in node && 'meta' in node && typeof node.meta === 'object';
}
