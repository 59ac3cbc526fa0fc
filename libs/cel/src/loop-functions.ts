import { type ASTNode, Optional, ParseError, type TypeDeclaration } from '@marcbachmann/cel-js';
import { spend } from './cel-cost.js';
import { engineMap, type EngineMap, fail, FunctionFailure } from './function-spec.js';
import { sorted } from './comparable-values.js';

interface Context {
  forkWithVariable(name: string, type: TypeDeclaration): Context;
  reuse(parent: Context): Context;
  setIterValue(value: unknown, evaluator: Evaluator): Context;
}

interface Evaluator {
  run(node: ASTNode, context: Context): unknown;
}

interface Checker {
  readonly registry: Parameters<TypeDeclaration['unify']>[0];
  check(node: ASTNode, context: Context): TypeDeclaration;
  getType(name: string): TypeDeclaration;
  createError(code: string, message: string, node: ASTNode): Error;
}

/** A call of a function that evaluates its arguments itself. The engine passes the arguments unevaluated. */
interface Call {
  readonly ast: ASTNode;
  readonly args: readonly ASTNode[];
  readonly receiver: ASTNode;
}

interface Macro {
  readonly async: false;
  typeCheck(checker: Checker, macro: Macro, context: Context): TypeDeclaration;
  evaluate(evaluator: Evaluator, macro: Macro, context: Context): unknown;
}

type Expand = (call: Call) => Macro;

function keyed(
  combine: (items: readonly unknown[], keys: readonly unknown[]) => unknown,
  typeOf: (checker: Checker, list: TypeDeclaration) => TypeDeclaration,
): Expand {
  return ({ ast, args, receiver }) => {
    const [name, key] = [variableOf(args[0]), argument(args, 1)];
    let inner: Context | undefined;
    return {
      async: false,
      typeCheck(checker, _macro, context) {
        const list = listType(checker, ast, receiver, context);
        inner = context.forkWithVariable(name, list.valueType ?? checker.getType('dyn'));
        checker.check(key, inner);
        return typeOf(checker, list);
      },
      evaluate(evaluator, _macro, context) {
        const items = listOf(evaluator.run(receiver, context), ast);
        const scope = inner?.reuse(context) ?? context;
        const keys = items.map((item) => evaluator.run(key, scope.setIterValue(item, evaluator)));
        return located(ast, () => combine(items, keys));
      },
    };
  };
}

function groupsOf(items: readonly unknown[], keys: readonly unknown[]): EngineMap {
  const groups = new Map<string, unknown[]>();
  items.forEach((item, index) => {
    const key = keyText(keys[index]);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  });
  spend(items.length + groups.size);
  return engineMap(groups);
}

function keyText(key: unknown): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean') return String(key);
  return fail(
    'groups by a value that is not a string, a number, true or false',
    'type',
    'Convert it with `string(…)`.',
  );
}

/** `list.reduce(acc, x, init, e)`: evaluates `e` for each item `x`. `acc` is the previous result, at first `init`. */
const reduce: Expand = ({ ast, args, receiver }) => {
  const [carried, name] = [variableOf(args[0]), variableOf(args[1])];
  const [first, step] = [argument(args, 2), argument(args, 3)];
  let contexts: { carried: Context; item: Context } | undefined;
  return {
    async: false,
    typeCheck(checker, _macro, context) {
      const dyn = checker.getType('dyn');
      const list = listType(checker, ast, receiver, context);
      const initial = checker.check(first, context);
      // If the initial value is a list, an object or null, its type says nothing about later values.
      const type = ['int', 'double', 'string', 'bool'].includes(initial.name) ? initial : dyn;
      const outer = context.forkWithVariable(carried, type);
      contexts = { carried: outer, item: outer.forkWithVariable(name, list.valueType ?? dyn) };
      const result = checker.check(step, contexts.item);
      return result.name === type.name ? type : dyn;
    },
    evaluate(evaluator, _macro, context) {
      const items = listOf(evaluator.run(receiver, context), ast);
      let value = evaluator.run(first, context);
      if (!contexts) return value;
      const outer = contexts.carried.reuse(context);
      const inner = contexts.item.reuse(outer);
      for (const item of items) {
        outer.setIterValue(value, evaluator);
        value = evaluator.run(step, inner.setIterValue(item, evaluator));
      }
      return value;
    },
  };
};

/**
 * `optional.optMap(x, e)`: returns an optional with the value of `e`, in which `x` is the value of the given optional.
 * If the given optional is empty, returns an empty optional. In `optFlatMap`, `e` itself is an optional.
 */
function optionalMap(isFlat: boolean): Expand {
  return ({ ast, args, receiver }) => {
    const [name, step] = [variableOf(args[0]), argument(args, 1)];
    let inner: Context | undefined;
    return {
      async: false,
      typeCheck(checker, _macro, context) {
        const type = checker.check(receiver, context);
        if (type.kind !== 'optional' && type.kind !== 'dyn') throw mismatch(checker, ast, type);
        inner = context.forkWithVariable(name, type.valueType ?? checker.getType('dyn'));
        const result = checker.check(step, inner);
        if (!isFlat) return checker.getType(`optional<${result.name}>`);
        if (result.kind === 'optional') return result;
        if (result.kind === 'dyn') return checker.getType('optional');
        throw mismatch(checker, ast, type);
      },
      evaluate(evaluator, _macro, context) {
        const optional = optionalOf(evaluator.run(receiver, context), ast);
        if (!optional.hasValue()) return optional;
        const scope = inner?.reuse(context) ?? context;
        const result = evaluator.run(step, scope.setIterValue(optional.value(), evaluator));
        return isFlat ? optionalOf(result, ast) : Optional.of(result);
      },
    };
  };
}

function optionalOf(value: unknown, ast: ASTNode): Optional {
  return value instanceof Optional ? value : located(ast, () => fail('needs an optional', 'type'));
}

export const MACROS: readonly (readonly [signature: string, expand: Expand])[] = [
  ['list.sortBy(ast, ast): list<dyn>', keyed(sorted, (_checker, list) => list)],
  ['list.groupBy(ast, ast): map', keyed(groupsOf, (checker, list) => checker.getType(`map<string, ${list.name}>`))],
  ['list.reduce(ast, ast, ast, ast): dyn', reduce],
  ['optional<dyn>.optMap(ast, ast): optional<dyn>', optionalMap(false)],
  ['optional<dyn>.optFlatMap(ast, ast): optional<dyn>', optionalMap(true)],
];

function argument(args: readonly ASTNode[], index: number): ASTNode {
  const node = args[index];
  if (!node) throw new ParseError({ code: 'invalid_macro_argument', message: 'an argument is missing' });
  return node;
}

function variableOf(node: ASTNode | undefined): string {
  if (node?.op === 'id') return node.args;
  throw new ParseError({ code: 'invalid_macro_argument', message: 'a variable name is expected', node });
}

function listType(checker: Checker, ast: ASTNode, receiver: ASTNode, context: Context): TypeDeclaration {
  const type = checker.check(receiver, context);
  if (type.kind === 'list') return type;
  if (type.kind === 'dyn') return checker.getType('list');
  throw mismatch(checker, ast, type);
}

function mismatch(checker: Checker, ast: ASTNode, type: TypeDeclaration): Error {
  const name = ast.op === 'rcall' ? ast.args[0] : '';
  return checker.createError('no_matching_overload', `found no matching overload for '${type.name}.${name}(…)'`, ast);
}

function listOf(value: unknown, ast: ASTNode): readonly unknown[] {
  if (Array.isArray(value)) {
    spend(value.length);
    return value;
  }
  return located(ast, () => fail('needs a list', 'type'));
}

/** The CEL library does this for functions, but not for macros. */
function located<T>(ast: ASTNode, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw error instanceof FunctionFailure ? error.withAst(ast) : error;
  }
}
