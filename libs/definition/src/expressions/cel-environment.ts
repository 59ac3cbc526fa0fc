import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { meterNode, spend, withBudget } from './cel-cost.js';
import { engineScope } from './cel-data.js';
import { explainCheckFailure, explainEvaluationFailure } from './cel-explain.js';
import { toJson } from './cel-json.js';
import { findImpossibleComparisons } from './cel-comparisons.js';
import { checkNames, type ExpressionScope } from './cel-names.js';
import { tellOptionalFields } from './cel-optional.js';
import { isComprehension, visitsOf, type Visit } from './cel-tree.js';
import { typingOf } from './cel-typing.js';
import { type Condition, type Expression, ExpressionError, type Scope } from './expression.js';
import { findUnsafeArithmetic } from './cel-arithmetic.js';
import { regexProblem, safeRegex } from './safe-regex.js';

/**
 * The only file that uses the CEL engine directly. The language is standard CEL with three restrictions that keep it
 * safe: expressions are small, evaluation has a budget, and `matches` is RE2 (as CEL specifies) instead of the
 * backtracking regular expressions of the engine.
 */
const MAX_SOURCE_LENGTH = 1_024;
/** Maximum depth of nested loops, including the outermost loop. The budget limits their run time for any data. */
const MAX_NESTED_COMPREHENSIONS = 3;
const LIMITS = { maxAstNodes: 256, maxDepth: 32, maxListElements: 128, maxMapEntries: 128, maxCallArguments: 16 };
/**
 * Calls to `matches` are replaced by this function, because the CEL library does not allow replacing a standard
 * function.
 */
const SAFE_MATCHES = 'matches_re2';

/**
 * Every name has a dynamic type here. The names in scope and their types are checked separately, before anything is
 * evaluated.
 */
const dynamicEnvironment = createEnvironment();

/**
 * Compiles CEL for the names of `scope`. Throws {@link ExpressionError} for invalid syntax, unknown names, types that
 * never fit and expressions that exceed the limits. The result may be evaluated any number of times.
 */
export function compileExpression(source: string, scope: ExpressionScope): Expression {
  const known = scope.compiled?.get(source);
  if (known) return known;
  const { evaluate, type } = compile(source, scope);
  const expression: Expression = {
    source,
    type,
    evaluate: (values) => withBudget(() => run(source, () => toJson(evaluate(values)))),
  };
  // Expressions with `steps` or `secrets` are not shared, because the allowed steps and secrets are checked and
  // recorded for each place.
  if (!source.includes('steps') && !source.includes('secrets')) scope.compiled?.set(source, expression);
  return expression;
}

/** Like {@link compileExpression}, for expressions that must return true or false. */
export function compileCondition(source: string, scope: ExpressionScope): Condition {
  const { evaluate } = compile(source, scope, 'bool');
  return {
    source,
    evaluate: (values) => {
      const result = withBudget(() => run(source, () => evaluate(values)));
      if (typeof result === 'boolean') return result;
      throw new ExpressionError(
        'type',
        `\`${source}\` returned ${describeResult(result)}, but a condition must return true or false.`,
        source,
        'Write a comparison, such as `x == "yes"` or `x > 0`.',
      );
    },
  };
}

function compile(
  source: string,
  scope: ExpressionScope,
  expected?: 'bool',
): { evaluate: (values: Scope) => unknown; type: string } {
  if (source.length > MAX_SOURCE_LENGTH) {
    throw new ExpressionError(
      'syntax',
      `The expression has ${source.length} characters; at most ${MAX_SOURCE_LENGTH} are allowed.`,
      source,
      'Compute parts of it in `let` steps.',
    );
  }
  const parsed = parse(dynamicEnvironment, source);
  const visits = visitsOf(parsed.ast);
  checkShape(source, visits);
  checkNames(source, visits, scope, (name) => dynamicEnvironment.hasVariable(name));
  const dynamicType = check(source, parsed);
  const type = scope.isTrusted ? dynamicType : (checkTypes(source, visits, scope) ?? dynamicType);
  if (!scope.isTrusted) findImpossibleComparisons(source, visits, scope);
  findUnsafeArithmetic(source, visits);
  if (expected === 'bool' && type !== 'bool' && type !== 'dyn') {
    throw new ExpressionError(
      'type',
      `\`${source}\` returns ${describeType(type)}, but a condition must return true or false.`,
      source,
    );
  }
  return { evaluate: metered(parsed), type };
}

/** Meters the expression when it is first evaluated, so that definitions that are only checked do not pay for it. */
function metered(parsed: ReturnType<Environment['parse']>): (values: Scope) => unknown {
  let isMetered = false;
  return (values) => {
    if (!isMetered) for (const { node, scan, isBinder } of visitsOf(parsed.ast)) if (!isBinder) meterNode(node, scan);
    isMetered = true;
    const result: unknown = parsed(engineScope(values));
    return result;
  };
}

function run<T>(source: string, evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    throw explainEvaluationFailure(error, source);
  }
}

function parse(environment: Environment, source: string) {
  try {
    const parsed = environment.parse(source);
    if (source.includes('matches')) renameMatches(parsed.ast);
    if (source.includes('has')) askForSteps(parsed.ast);
    return parsed;
  } catch (error) {
    throw explainCheckFailure(error, source);
  }
}

function check(source: string, parsed: ReturnType<Environment['parse']>): string {
  const result = parsed.check();
  if (!result.valid) throw explainCheckFailure(result.error, source);
  return result.type ?? 'dyn';
}

/**
 * Returns the type of the result if types of the names are known. The data itself stays dynamic, so no field is ever
 * hidden.
 */
function checkTypes(source: string, visits: readonly Visit[], scope: ExpressionScope): string | undefined {
  const typing = typingOf(visits, scope, dynamicEnvironment);
  if (!typing) return undefined;
  const { error, type } = parse(typing.environment, source).check();
  if (error && isCertainFailure(error)) throw explainCheckFailure(error, source, typing.fieldsAt);
  tellOptionalFields(source, visits, scope);
  return type;
}

/**
 * The checker is stricter than the engine about equality, membership and mixed lists. At run time these simply return
 * false.
 */
function isCertainFailure(error: { code: string; summary: string }): boolean {
  return error.code === 'no_such_key' || (error.code === 'no_such_overload' && !/ (==|!=|in) /.test(error.summary));
}

function createEnvironment(): Environment {
  return (
    new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false, limits: LIMITS })
      .registerFunction(`string.${SAFE_MATCHES}(string): bool`, matches, { async: false })
      // CEL compares numbers of different types. The engine resolves these two operators only at run time, so typed
      // operands need a registration.
      .registerOperator('int == double', (a: bigint, b: number) => Number(a) === b)
  );
}

function matches(text: string, pattern: string): boolean {
  spend(pattern.length);
  // The pattern may be data here, so the message does not quote it.
  if (regexProblem(pattern) !== undefined) {
    throw new ExpressionError(
      'failed',
      'The pattern passed to matches() is not a valid RE2 regular expression, or it is too large.',
      pattern,
    );
  }
  const regex = safeRegex(pattern);
  spend((text.length * (regex.size + 64)) >> 9);
  return regex.test(text);
}

function renameMatches(root: ASTNode): void {
  for (const { node } of visitsOf(root)) {
    if (node.op === 'rcall' && node.args[0] === 'matches') node.args[0] = SAFE_MATCHES;
  }
}

/**
 * Treats `has(steps.x.output)` like `has(steps.x)`: both ask whether the step has run. A step has no other field, and
 * CEL would fail if the step is missing.
 */
function askForSteps(root: ASTNode): void {
  for (const { node, bound } of visitsOf(root)) {
    if (node.op !== 'call' || node.args[0] !== 'has' || bound.has('steps')) continue;
    const [asked] = node.args[1];
    if (asked?.op !== '.' || asked.args[1] !== 'output' || asked.args[0].op !== '.') continue;
    const [owner] = asked.args[0].args;
    if (owner.op === 'id' && owner.args === 'steps') node.args[1][0] = asked.args[0];
  }
}

function checkShape(source: string, visits: readonly Visit[]): void {
  for (const { node, nesting } of visits) {
    if (isComprehension(node) && nesting >= MAX_NESTED_COMPREHENSIONS) {
      throw new ExpressionError(
        'syntax',
        `\`${source.slice(node.start, node.end)}\` is nested inside three other loops; at most three levels are allowed.`,
        source,
        'Compute the inner loops in a `let` step or a `for_each` step.',
        node.start,
      );
    }
    checkPattern(source, node);
  }
}

function checkPattern(source: string, node: ASTNode): void {
  if (node.op !== 'rcall' || node.args[0] !== SAFE_MATCHES) return;
  const [pattern] = node.args[2];
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return;
  const problem = regexProblem(pattern.args);
  if (problem === undefined) return;
  throw new ExpressionError(
    'syntax',
    `The regular expression ${JSON.stringify(pattern.args)} cannot be used: ${problem}.`,
    source,
    'Write it in RE2 syntax, which has no look-ahead, look-behind or back-references.',
    pattern.start,
  );
}

function describeType(type: string): string {
  const known: Record<string, string> = {
    string: 'a string',
    int: 'a whole number',
    double: 'a number',
    map: 'an object',
  };
  return known[type] ?? (type.startsWith('list') ? 'a list' : type.startsWith('map') ? 'an object' : type);
}

function describeResult(result: unknown): string {
  if (result === null) return 'null';
  if (Array.isArray(result)) return 'a list';
  if (typeof result === 'string') return 'a string';
  return typeof result === 'number' || typeof result === 'bigint' ? 'a number' : 'an object';
}
