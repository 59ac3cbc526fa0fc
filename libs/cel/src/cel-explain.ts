import { type ASTNode, EvaluationError, ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js';
import { didYouMean } from '@app/kernel';
import { mixedNumbers, wholeNumberLiteral } from './cel-arithmetic.js';
import { memberPath } from './cel-tree.js';
import type { Typing } from './cel-typing.js';
import {
  CostExceeded,
  MAX_EVALUATION_COST,
  MAX_SHARED_CHARACTERS,
  MAX_SHARED_COST,
  ValueTooLarge,
} from './cel-cost.js';
import type { TruncatedOutput } from './cel-data.js';
import { CEL_WORDS } from './cel-words.js';
import { unfittingCall } from './cel-functions.js';
import { FunctionFailure } from './function-spec.js';
import { NotJson } from './cel-json.js';
import { ExpressionError, type ExpressionErrorCode } from './expression.js';

type CelError = ParseError | EvaluationError | CelTypeError;
type Located = ASTNode | undefined;
type FieldsAt = Typing['fieldsAt'];

export function explainCheckFailure(error: unknown, source: string, fieldsAt?: FieldsAt): ExpressionError {
  if (error instanceof ExpressionError) return error;
  if (!isCelError(error)) return new ExpressionError('syntax', 'The expression is too complex.', source);
  return error instanceof ParseError ? explainSyntax(error, source) : explainTypes(error, source, fieldsAt);
}

/** If the expression reads a truncated output, the error says so first, because `has()` would only hide the cause. */
export function aboutTruncation(error: ExpressionError, output: TruncatedOutput | undefined): ExpressionError {
  if (!output) return error;
  const message =
    output.bytes === null
      ? `\`${output.path}\` is truncated.`
      : `\`${output.path}\` is truncated: the response has ${output.bytes} bytes, which is more than \`MAX_RECORDED_BYTES\` (1 MiB by default).`;
  const remedy = 'Ask the other system for smaller pages, or for fewer fields.';
  return new ExpressionError(error.code, `${message} ${error.message}`, error.expression, remedy, error.offset);
}

/**
 * Converts an error of the CEL library during evaluation to a message for the author. The message never contains data.
 */
export function explainEvaluationFailure(error: unknown, source: string): ExpressionError {
  if (error instanceof ExpressionError) return new ExpressionError(error.code, error.message, source, error.suggestion);
  if (error instanceof NotJson) return new ExpressionError('not_json', error.message, source);
  if (error instanceof CostExceeded) return explainCost(error, source);
  if (error instanceof ValueTooLarge) return explainSize(source);
  if (!isCelError(error)) return new ExpressionError('failed', `\`${source}\` could not be evaluated.`, source);
  return explainTypes(error, source);
}

function explainCost({ exceeded }: CostExceeded, source: string): ExpressionError {
  if (exceeded === 'evaluation') {
    const limit = `${MAX_EVALUATION_COST.toLocaleString('en')} steps plus one step for each byte of the data that it reads`;
    const detail = `\`${source}\` was stopped because it exceeded its limit of ${limit}.`;
    return new ExpressionError(
      'cost',
      detail,
      source,
      'Reduce the data that the expression reads: fewer items, or shorter strings.',
    );
  }
  const limit =
    exceeded === 'shared_cost'
      ? `took more than ${MAX_SHARED_COST.toLocaleString('en')} steps`
      : `returned more than ${MAX_SHARED_CHARACTERS.toLocaleString('en')} characters`;
  const detail = `\`${source}\` and the other expressions of the same value or call were stopped, because together they ${limit}.`;
  return new ExpressionError(
    'cost',
    detail,
    source,
    'Distribute the expressions over several steps, or reduce the data that they read.',
  );
}

function explainSize(source: string): ExpressionError {
  const detail = `\`${source}\` was stopped because it computes a value of more than 4 MiB.`;
  return new ExpressionError('cost', detail, source, 'Reduce the data, or compute it in several parts.');
}

function isCelError(error: unknown): error is CelError {
  return error instanceof ParseError || error instanceof EvaluationError || error instanceof CelTypeError;
}

const SYNTAX_HINTS: readonly [RegExp, string][] = [
  [/\.\s*`/, 'Write the name of the field in brackets: `x["a-b"]`.'],
  [/(^|[^\w)\]])\.\d/, 'Write a digit before the decimal point: `0.5`.'],
  [/\b(br|rb)""/i, 'Write the bytes without `r`, and each backslash in them as `\\\\`.'],
  [/[{[,]\s*\?/, 'An entry cannot be optional: write `x.orValue(…)` as its value.'],
  [/\$\{\{/, 'Remove `${{` and `}}`: the value of this key is always an expression.'],
  [/===/, 'In CEL, compare with `==`.'],
  [/[^=!<>]=[^=]/, 'In CEL, compare with `==`.'],
  [/(^|\s)and(\s|$)/, 'In CEL, write `&&`.'],
  [/(^|\s)or(\s|$)/, 'In CEL, write `||`.'],
  [/(^|\s)not\s/, 'In CEL, write `!`.'],
  [/\bif\b.*\bthen\b|\bif\b.*\belse\b/, 'In CEL, write `condition ? a : b`.'],
  [/[^&]&[^&]/, 'In CEL, write `&&`.'],
  [/[^|]\|[^|]/, 'In CEL, write `||`.'],
  [/`/, 'Put strings in `"` or `\'`.'],
];

const LIMIT_MESSAGES: Readonly<Record<string, string>> = {
  maxAstNodes: 'is too complex: it consists of more than 256 parts',
  maxDepth: 'is nested deeper than 32 levels',
};

function explainSyntax(error: ParseError, source: string): ExpressionError {
  const offset = error.range?.start ?? 0;
  const limit = Object.entries(LIMIT_MESSAGES).find(([name]) => error.summary.includes(name));
  if (limit)
    return new ExpressionError('syntax', `The expression ${limit[1]}.`, source, 'Compute parts of it in `let` steps.');
  const word = explainWord(source, offset);
  if (word) return word;
  const atEnd = offset >= source.length;
  const near = source.slice(offset, offset + 20);
  const where = atEnd ? 'the expression ends too early' : `\`${near}\` is not allowed at this position`;
  const detail =
    error.code === 'unterminated_string'
      ? 'A string has an opening quote, but no closing quote.'
      : `\`${shorten(source)}\` is not a valid CEL expression: ${source.trim() === '' ? 'it is empty' : where}.`;
  const code = stripText(source);
  const hint =
    SYNTAX_HINTS.find(([pattern]) => pattern.test(code))?.[1] ??
    (atEnd && isUnclosed(code) ? UNCLOSED_HINT : undefined);
  return new ExpressionError('syntax', detail, source, hint, offset);
}

const MEMBER = /([A-Za-z_][\w.]*(?:\[[^\]]*\][\w.]*)*)\.(\??)$/;

function explainWord(source: string, offset: number): ExpressionError | undefined {
  const [word = ''] = /^\w+/.exec(source.slice(offset)) ?? [];
  const [, owner, optional] = MEMBER.exec(source.slice(0, offset)) ?? [];
  if (!CEL_WORDS.has(word) || owner === undefined) return undefined;
  const detail = `\`${word}\` is a reserved word of CEL, so it cannot follow a dot.`;
  return new ExpressionError('syntax', detail, source, `Write \`${owner}[${optional}'${word}']\`.`, offset);
}

const UNCLOSED_HINT =
  'Add the closing bracket. If the expression contains a comma and is inside `{ }` or `[ ]` of YAML, put it in quotes, because YAML ends an unquoted value at a comma.';

function isUnclosed(code: string): boolean {
  return code.split(/[([{]/).length > code.split(/[)\]}]/).length;
}

function stripText(source: string): string {
  return source.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
}

function explainTypes(error: CelError, source: string, fieldsAt?: FieldsAt): ExpressionError {
  const node = nodeOf(error);
  const offset = error.range?.start ?? 0;
  const text = node ? source.slice(node.start, node.end) : shorten(source);
  if (error instanceof FunctionFailure) {
    return new ExpressionError(error.kind, `\`${text}\` ${error.words}.`, source, error.suggestion, offset);
  }
  switch (error.code) {
    case 'no_such_key':
      return explainMissingField(error, source, node, text, fieldsAt);
    case 'no_such_overload':
      return explainOperator(error, source, node, text);
    case 'no_matching_overload':
      return explainFunction(error, source, node, text);
    case 'unknown_variable':
      return new ExpressionError(
        'missing_field',
        `\`${text}\` has no value at this point of the run.`,
        source,
        undefined,
        offset,
      );
    default: {
      const [code, words] = PLAIN_WORDS[error.code] ?? (['failed', 'could not be evaluated'] as const);
      return new ExpressionError(code, `\`${text}\` ${words}.`, source, undefined, offset);
    }
  }
}

const PLAIN_WORDS: Readonly<Record<string, readonly [ExpressionErrorCode, string]>> = {
  index_out_of_bounds: ['out_of_bounds', 'reads an item beyond the end of the list: check `size(…)` first'],
  invalid_index_type: ['type', 'uses a list index that is not a whole number: convert it with int(…)'],
  cannot_index_type: ['type', 'reads a field of a value that is not an object'],
  invalid_logical_operand: ['type', 'uses `&&` or `||` with a value that is not true or false'],
  invalid_condition_type: ['type', 'has a condition that is not true or false'],
  invalid_comprehension_range: ['type', 'loops over a value that is neither a list nor an object'],
  incompatible_ternary_branches: [
    'type',
    'returns values of different types for true and false: wrap one value in dyn(…)',
  ],
  division_by_zero: ['failed', 'divides by zero'],
  modulo_by_zero: ['failed', 'divides by zero'],
  numeric_overflow: ['failed', 'exceeds the range of 64-bit whole numbers'],
  double_conversion_error: ['failed', 'converts a string that is not a number'],
  int_conversion_error: ['failed', 'converts a string that is not a whole number'],
  bool_conversion_error: ['failed', 'converts a string that is neither true nor false'],
  invalid_timestamp: ['failed', 'converts a string that is not an RFC 3339 time'],
  invalid_duration: ['failed', 'converts a string that is not a duration'],
  optional_expected: ['type', 'needs an optional: write `.?` or `[?…]` to read a field that may be missing'],
  incompatible_argument_type: ['type', 'combines an optional with a value of another type: wrap the value in dyn(…)'],
  index_out_of_range: ['out_of_bounds', 'reads a part beyond the end of the string'],
};

function explainMissingField(
  error: CelError,
  source: string,
  node: Located,
  text: string,
  fieldsAt: FieldsAt | undefined,
): ExpressionError {
  const offset = error.range?.start ?? 0;
  if (node?.op !== '.') {
    return new ExpressionError('missing_field', `\`${text}\` does not exist.`, source, undefined, offset);
  }
  const owner = source.slice(node.args[0].start, node.args[0].end);
  const path = memberPath(node.args[0]);
  const known = path && fieldsAt?.(path);
  if (known) {
    const { fields, owner: declarer } = known;
    const detail = `${declarer} has no \`${node.args[1]}\`.`;
    const all =
      fields.length === 0 ? 'It has no fields.' : `Its fields are ${fields.map((name) => `\`${name}\``).join(', ')}.`;
    return new ExpressionError('missing_field', detail, source, didYouMean(node.args[1], fields) ?? all, offset);
  }
  const step = missingStep(node);
  if (step) {
    const detail = `Step \`${step.id}\` has no ${step.member}, because it did not run.`;
    return new ExpressionError('missing_field', detail, source, `Check first: \`has(${text}) && …\`.`, offset);
  }
  const detail = `\`${text}\` does not exist: \`${owner}\` has no \`${node.args[1]}\`. A missing field is an error, not false.`;
  const hint = `Check first: \`has(${text}) && …\` or \`has(${text}) ? ${text} : null\`.`;
  return new ExpressionError('missing_field', detail, source, hint, offset);
}

function missingStep(node: ASTNode): { id: string; member: string } | undefined {
  const [root, id, member = 'output', ...further] = memberPath(node) ?? [];
  return root === 'steps' && id !== undefined && further.length === 0 ? { id, member } : undefined;
}

function explainOperator(error: CelError, source: string, node: Located, text: string): ExpressionError {
  const offset = error.range?.start ?? 0;
  const operands = operandTypes(error.summary);
  if (node && operands && Array.isArray(node.args) && isNumeric(operands.left) && isNumeric(operands.right)) {
    const numeric = explainNumbers(source, node, operands, text);
    if (numeric) return numeric;
  }
  const words = operands
    ? `\`${text}\` cannot be computed: it has ${typeWords(operands.left)} on the left and ${typeWords(operands.right)} on the right of \`${operands.operator}\``
    : `\`${text}\` cannot be computed with values of this type`;
  return new ExpressionError('type', `${words}.`, source, textHint(operands, node, source), offset);
}

interface Operands {
  readonly left: string;
  readonly operator: string;
  readonly right: string;
}

function operandTypes(summary: string): Operands | undefined {
  const match = /^no such overload: (.+) (==|!=|<=|>=|in|[-+*/%<>]) (.+)$/.exec(summary);
  const [, left, operator, right] = match ?? [];
  return left && operator && right ? { left: plainType(left), operator, right: plainType(right) } : undefined;
}

function explainNumbers(source: string, node: ASTNode, types: Operands, text: string): ExpressionError | undefined {
  if (!isBinary(node)) return undefined;
  const [left, right] = node.args;
  const literal = wholeNumberLiteral(right) ?? wholeNumberLiteral(left);
  const other = wholeNumberLiteral(right) === undefined ? right : left;
  if (literal !== undefined) return mixedNumbers(source, node, literal, other);
  const whole = types.left === 'int' ? left : right;
  const part = source.slice(whole.start, whole.end);
  const hint = types.operator === '%' ? 'Convert both with `int(…)`.' : `Write \`double(${part})\`.`;
  const detail = `\`${text}\` mixes a whole number and a double, which CEL does not allow.`;
  return new ExpressionError(
    'type',
    types.left === types.right ? `\`${text}\` needs whole numbers.` : detail,
    source,
    hint,
    node.start,
  );
}

function isBinary(node: ASTNode): node is Extract<ASTNode, { op: '+' | '-' | '*' | '/' | '%' }> {
  return ['+', '-', '*', '/', '%'].includes(node.op);
}

function textHint(operands: Operands | undefined, node: Located, source: string): string | undefined {
  if (!operands || operands.operator !== '+' || !node || !isBinary(node)) return undefined;
  const [left, right] = node.args;
  if (operands.left === 'string') return `Write \`string(${source.slice(right.start, right.end)})\`.`;
  return operands.right === 'string' ? `Write \`string(${source.slice(left.start, left.end)})\`.` : undefined;
}

function explainFunction(error: CelError, source: string, node: Located, text: string): ExpressionError {
  if (node) return unfittingCall(source, node, givenTypes(error.summary));
  const detail = `\`${text}\` calls a function with arguments that it does not accept.`;
  return new ExpressionError('type', detail, source);
}

function givenTypes(summary: string): string[] {
  const types = /\(([^()]*)\)'?$/.exec(summary)?.[1] ?? '';
  return types.split(', ').map(plainType);
}

function nodeOf(error: CelError): Located {
  const node = error.node;
  return node && isNode(node) ? node : undefined;
}

function isNode(node: object): node is ASTNode {
  return 'op' in node && 'args' in node && 'start' in node && 'end' in node;
}

function plainType(type: string): string {
  return type.replace(/^dyn<(.*)>$/, '$1');
}

function isNumeric(type: string): boolean {
  return type === 'int' || type === 'double' || type === 'uint';
}

function typeWords(type: string): string {
  if (type.startsWith('list')) return 'a list';
  if (type.startsWith('map') || type.startsWith('$')) return 'an object';
  const words: Record<string, string> = {
    string: 'a string',
    bool: 'true or false',
    int: 'a whole number',
    double: 'a number',
  };
  return words[type] ?? type;
}

function shorten(source: string): string {
  return source.length > 80 ? `${source.slice(0, 77)}...` : source;
}
