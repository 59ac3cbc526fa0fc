import { Environment, type ASTNode, Optional } from '@marcbachmann/cel-js';
import { invariant } from '@app/kernel';
import { meterNode, withBudget } from './cel-cost.js';
import {
  bytesAt,
  type DataPath,
  mentionedPaths,
  outermostPaths,
  engineScope,
  truncatedOutput,
  valuesAt,
} from './cel-data.js';
import { aboutTruncation, explainCheckFailure, explainEvaluationFailure } from './cel-explain.js';
import { toJson } from './cel-json.js';
import { findImpossibleComparisons } from './cel-comparisons.js';
import { findDoublePositions } from './cel-functions.js';
import { checkNames, type ExpressionScope } from './cel-names.js';
import { tellOptionalFields } from './cel-optional.js';
import { correctNodes, renameShadowed, rewriteCalls, setAlternate } from './cel-rewrite.js';
import { isComprehension, visitsOf, type Visit } from './cel-tree.js';
import { typingOf } from './cel-typing.js';
import { type Condition, type Expression, ExpressionError, type Scope } from './expression.js';
import { findUnsafeArithmetic } from './cel-arithmetic.js';
import { registerFunctions } from './function-registry.js';
import { areEqual } from './comparable-values.js';
import { checkLiteral } from './literal-arguments.js';
import { checkKeys } from './map-literals.js';

/**
 * Compiles expressions with the CEL engine. The language is standard CEL with three restrictions that keep it safe:
 * expressions are small, evaluation has a budget, and regular expressions are RE2. CEL specifies RE2, but the engine
 * itself uses the backtracking expressions of JavaScript. `function-registry.ts` lists the functions beyond standard
 * CEL.
 */

/** Maximum length of an expression, in UTF-16 units. */
const MAX_SOURCE_LENGTH = 1_024;
/** The evaluation budget limits their run time. */
const MAX_NESTED_COMPREHENSIONS = 3;
const LIMITS = { maxAstNodes: 256, maxDepth: 32, maxListElements: 128, maxMapEntries: 128, maxCallArguments: 16 };

/**
 * All names have a dynamic type in this environment. The names in scope and their types are checked separately, before
 * anything is evaluated.
 */
const dynamicEnvironment = createEnvironment();

/**
 * Throws {@link ExpressionError} for invalid syntax, unknown names, types that never match and expressions that exceed
 * the limits.
 */
export function compileExpression(source: string, scope: ExpressionScope): Expression {
  const known = scope.onMention ? undefined : scope.compiled?.get(source);
  if (known) return known;
  const { evaluate, type } = compile(source, scope);
  const expression: Expression = { source, type, evaluate: (values) => evaluate(values, toJson) };
  // Expressions with `steps` or `secrets` are not cached, because each place checks and records its steps and secrets.
  if (!source.includes('steps') && !source.includes('secrets')) scope.compiled?.set(source, expression);
  return expression;
}

export function compileCondition(source: string, scope: ExpressionScope): Condition {
  const { evaluate, mentioned, paths } = compile(source, scope, 'bool');
  return {
    source,
    mentions: (path) => mentioned.some((each) => path.every((name, index) => each[index] === name)),
    readValues: (values) => valuesAt(paths, values),
    evaluate: (values) => {
      const result = evaluate(values, contentOf);
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

function contentOf(result: unknown): unknown {
  return result instanceof Optional ? (result.orValue(null) as unknown) : result;
}

interface Compiled {
  readonly evaluate: <T>(values: Scope, convert: (result: unknown) => T) => T;
  readonly type: string;
  readonly mentioned: readonly DataPath[];
  readonly paths: readonly DataPath[];
}

function compile(source: string, scope: ExpressionScope, expected?: 'bool'): Compiled {
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
  checkNames(source, visits, scope, (name) => isConstant(name) && name !== 'optional');
  const mentioned = mentionedPaths(visits, scope.names);
  const paths = outermostPaths(mentioned);
  const renamed = renameShadowed(visits, scope.names, isConstant);
  const dynamicType = check(source, parsed);
  const type = scope.isTrusted ? dynamicType : (checkTypes(source, visits, scope) ?? dynamicType);
  if (!scope.isTrusted) {
    findImpossibleComparisons(source, visits, scope);
    findDoublePositions(source, visits, scope.names);
  }
  findUnsafeArithmetic(source, visits);
  if (expected === 'bool' && !['bool', 'dyn', 'optional<bool>', 'optional<dyn>'].includes(type)) {
    throw new ExpressionError(
      'type',
      `\`${source}\` returns ${describeType(type)}, but a condition must return true or false.`,
      source,
    );
  }
  const evaluateNodes = metered(parsed, renamed);
  const evaluate = <T>(values: Scope, convert: (result: unknown) => T): T =>
    withBudget(
      () => {
        try {
          return run(source, () => convert(evaluateNodes(values)));
        } catch (error) {
          throw error instanceof ExpressionError ? aboutTruncation(error, truncatedOutput(paths, values)) : error;
        }
      },
      () => bytesAt(paths, values),
    );
  return { evaluate, type, mentioned, paths };
}

function isConstant(name: string): boolean {
  return dynamicEnvironment.hasVariable(name);
}

/**
 * Its first call also prepares the nodes to count their cost. The preparation is not done earlier, because many
 * expressions are only checked.
 */
function metered(
  parsed: ReturnType<Environment['parse']>,
  renamed: ReadonlyMap<string, string>,
): (values: Scope) => unknown {
  let isMetered = false;
  return (values) => {
    if (!isMetered) for (const { node, scan, isBinder } of visitsOf(parsed.ast)) if (!isBinder) meterNode(node, scan);
    isMetered = true;
    const scope = engineScope(values);
    for (const [name, alias] of renamed) if (Object.hasOwn(scope, name)) scope[alias] = scope[name]!;
    const result: unknown = parsed(scope);
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
    if (source.includes('(')) rewriteCalls(parsed.ast);
    if (source.includes('has')) askForFields(parsed.ast, environment);
    correctNodes(parsed.ast, source);
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

/** The evaluation ignores these types, so it can also read fields that they do not declare. */
function checkTypes(source: string, visits: readonly Visit[], scope: ExpressionScope): string | undefined {
  const typing = typingOf(visits, scope, dynamicEnvironment);
  if (!typing) return undefined;
  const parsed = parse(typing.environment, source);
  renameShadowed(visitsOf(parsed.ast), scope.names, isConstant);
  const { error, type } = parsed.check();
  if (error && isCertainFailure(error)) throw explainCheckFailure(error, source, typing.fieldsAt);
  tellOptionalFields(source, visits, scope);
  return type;
}

/**
 * Whether an error of the type checker means that every evaluation fails. The type checker also rejects `==`, `!=` and
 * `in` for values of different types, but the evaluation of these operators does not fail.
 */
function isCertainFailure(error: { code: string; summary: string }): boolean {
  if (error.code === 'no_such_key') return true;
  if (error.code === 'no_such_overload') return !/ (==|!=|in) /.test(error.summary);
  // The type checker does not know that an object with known fields is a map, so it may wrongly report this error for
  // such an object. The name of the type of such an object begins with `$`.
  return error.code === 'no_matching_overload' && !error.summary.includes('$');
}

function createEnvironment(): Environment {
  const options = {
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: LIMITS,
  };
  // CEL compares whole numbers with doubles. The engine supports such comparisons only at run time, so the operator is
  // registered for the type checker.
  const environment = new Environment(options).registerOperator('int == double', areEqual);
  return registerFunctions(environment);
}

function askForFields(root: ASTNode, environment: Environment): void {
  askForSteps(root, environment);
  for (const { node } of visitsOf(root)) {
    if (node.op !== 'call' || node.args[0] !== 'has') continue;
    const [asked] = node.args[1];
    if (asked?.op === '.' && !isChain(asked)) askOptionally(node, asked, environment);
  }
}

function isChain(node: ASTNode): boolean {
  return node.op === 'id' || ((node.op === '.' || node.op === '.?') && isChain(node.args[0]));
}

/** Computes `has(e.f)` as `e.?f.hasValue()`, because the engine accepts only names in `has`. */
function askOptionally(call: ASTNode, asked: ASTNode, environment: Environment): void {
  const { ast } = environment.parse('value.?field.hasValue()');
  invariant(ast.op === 'rcall' && ast.args[1].op === '.?', 'the text asks for an optional field');
  Object.assign(ast.args[1], { args: asked.args, start: asked.start, end: asked.end });
  setAlternate(call, Object.assign(ast, { start: call.start, end: call.end }), ast.args[1]);
}

/**
 * Makes `has(steps.x)` and `has(steps.x.output)` test whether the step has an output, and `has(steps.x.status)` whether
 * the run has reached the step. CEL fails to read `steps.x` if `x` is missing, so the tests read `steps.?x` instead.
 */
function askForSteps(root: ASTNode, environment: Environment): void {
  for (const { node, bound } of visitsOf(root)) {
    if (node.op !== 'call' || node.args[0] !== 'has' || bound.has('steps')) continue;
    const [asked] = node.args[1];
    if (asked?.op !== '.') continue;
    const [owner] = asked.args;
    if (isSteps(owner)) node.args[1][0] = outputOf(asked, environment);
    else if (owner.op === '.' && isSteps(owner.args[0])) Object.assign(owner, { op: '.?' });
  }
}

function isSteps(node: ASTNode): boolean {
  return node.op === 'id' && node.args === 'steps';
}

/** Returns the node `steps.?x.output` at the position of `steps.x`. */
function outputOf(step: ASTNode, environment: Environment): ASTNode {
  const { ast } = environment.parse('step.output');
  invariant(ast.op === '.', 'the text selects a field');
  ast.args[0] = Object.assign(step, { op: '.?' });
  return Object.assign(ast, { start: step.start, end: step.end });
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
    checkVariables(source, node);
    checkLiteral(source, node);
    checkKeys(source, node);
  }
}

const MACROS_OF_TWO_VARIABLES: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne']);

function checkVariables(source: string, node: ASTNode): void {
  if (node.op !== 'rcall' || node.args[2].length !== 3 || !MACROS_OF_TWO_VARIABLES.has(node.args[0])) return;
  const detail = `\`${source.slice(node.start, node.end)}\` has two variables, but a loop of an expression has one.`;
  const hint = 'Loop over the positions, `lists.range(size(x))`, or over the keys of the object.';
  throw new ExpressionError('syntax', detail, source, hint, node.start);
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
