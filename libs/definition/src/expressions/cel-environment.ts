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
 * The only place that knows the CEL engine. The language is standard CEL with three differences that keep it safe:
 * expressions are small, evaluation has a budget, and `matches` is RE2 (as CEL says) instead of the engine's own
 * backtracking regular expressions.
 */
const MAX_SOURCE_LENGTH = 1_024;
/** Loops in one another, the outermost included: the budget bounds what they take, whatever the data is. */
const MAX_NESTED_COMPREHENSIONS = 3;
const LIMITS = { maxAstNodes: 256, maxDepth: 32, maxListElements: 128, maxMapEntries: 128, maxCallArguments: 16 };
/** Replaces calls to `matches`, because the CEL library does not allow replacing a standard function. */
const SAFE_MATCHES = 'matches_re2';

/** Every name is dynamic here: what is in scope, and how it is typed, is checked before anything is evaluated. */
const dynamicEnvironment = createEnvironment();

/**
 * Compiles CEL for the names of `scope`. Throws {@link ExpressionError} for bad syntax, unknown names, types that
 * cannot fit and expressions beyond the limits. The result may be evaluated any number of times.
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
  // What these mention is allowed at some places only, and noted at each.
  if (!source.includes('steps') && !source.includes('secrets')) scope.compiled?.set(source, expression);
  return expression;
}

/** Like {@link compileExpression}, for expressions that must give true or false. */
export function compileCondition(source: string, scope: ExpressionScope): Condition {
  const { evaluate } = compile(source, scope, 'bool');
  return {
    source,
    evaluate: (values) => {
      const result = withBudget(() => run(source, () => evaluate(values)));
      if (typeof result === 'boolean') return result;
      throw new ExpressionError(
        'type',
        `\`${source}\` gave ${describeResult(result)} where true or false is needed.`,
        source,
        'Compare it with something, as in `x == "yes"` or `x > 0`.',
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
      `The expression has ${source.length} characters; ${MAX_SOURCE_LENGTH} are allowed.`,
      source,
      'Split it with `let` steps.',
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
      `\`${source}\` gives ${describeType(type)} where true or false is needed.`,
      source,
    );
  }
  return { evaluate: metered(parsed), type };
}

/** Meters the expression when it is first evaluated: of a definition that is only checked nothing is. */
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
 * The type of the result where something is known about the names. The data itself stays dynamic, so no field is ever
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

/** Equality, membership and mixed lists are stricter for the checker than at run time, where they simply give false. */
function isCertainFailure(error: { code: string; summary: string }): boolean {
  return error.code === 'no_such_key' || (error.code === 'no_such_overload' && !/ (==|!=|in) /.test(error.summary));
}

function createEnvironment(): Environment {
  return (
    new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false, limits: LIMITS })
      .registerFunction(`string.${SAFE_MATCHES}(string): bool`, matches, { async: false })
      // CEL compares numbers across types; the engine leaves these two to run time, where typed operands never arrive.
      .registerOperator('int == double', (a: bigint, b: number) => Number(a) === b)
  );
}

function matches(text: string, pattern: string): boolean {
  spend(pattern.length);
  // The pattern may be data here, so the message does not quote it.
  if (regexProblem(pattern) !== undefined) {
    throw new ExpressionError('failed', 'The pattern given to matches() is not RE2, or too large.', pattern);
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
 * `has(steps.x.output)` asks whether the step has run, like `has(steps.x)`: there is nothing else in a step, and CEL
 * would fail at one that is not there.
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
        `\`${source.slice(node.start, node.end)}\` is the fourth loop inside of another one; three are allowed.`,
        source,
        'Do the inner ones in a `let` step or a `for_each`.',
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
    `The pattern ${JSON.stringify(pattern.args)} cannot be used: ${problem}.`,
    source,
    'Patterns are RE2: no look-ahead, look-behind or back-references.',
    pattern.start,
  );
}

function describeType(type: string): string {
  const known: Record<string, string> = { string: 'text', int: 'a whole number', double: 'a number', map: 'an object' };
  return known[type] ?? (type.startsWith('list') ? 'a list' : type.startsWith('map') ? 'an object' : type);
}

function describeResult(result: unknown): string {
  if (result === null) return 'null';
  if (Array.isArray(result)) return 'a list';
  if (typeof result === 'string') return 'text';
  return typeof result === 'number' || typeof result === 'bigint' ? 'a number' : 'an object';
}
