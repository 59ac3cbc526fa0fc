import type { ASTNode } from '@marcbachmann/cel-js';
import { ExpressionError } from './expression.js';
import type { Visit } from './cel-tree.js';

const ARITHMETIC = ['+', '-', '*', '/', '%'] as const;

export function wholeNumberLiteral(node: ASTNode): string | undefined {
  if (node.op === 'value' && typeof node.args === 'bigint') return node.args.toString();
  if (node.op !== '-_') return undefined;
  const literal = wholeNumberLiteral(node.args);
  return literal === undefined ? undefined : `-${literal}`;
}

/**
 * Rejects calculations such as `request.amount * 2` when the definition is created. Data comes from JSON, whose numbers
 * are doubles. CEL does not mix doubles and whole numbers, so the expression would fail in every run. Needs a
 * type-checked tree.
 */
export function findUnsafeArithmetic(source: string, visits: readonly Visit[]): void {
  for (const { node } of visits) {
    if (!isArithmetic(node)) continue;
    const [left, right] = node.args;
    const literal = wholeNumberLiteral(right) ?? wholeNumberLiteral(left);
    const other = wholeNumberLiteral(right) === undefined ? right : left;
    if (literal === undefined || !isDynamic(other)) continue;
    throw mixedNumbers(source, node, literal, other);
  }
}

export function mixedNumbers(source: string, node: ASTNode, literal: string, other: ASTNode): ExpressionError {
  const text = source.slice(node.start, node.end);
  const operand = source.slice(other.start, other.end);
  return new ExpressionError(
    'type',
    `\`${text}\` cannot be computed: numbers from JSON are doubles, but \`${literal}\` is a whole number.`,
    source,
    node.op === '%' ? `Write \`int(${operand}) % ${literal}\`.` : `Write \`${literal}.0\`.`,
    node.start,
  );
}

function isArithmetic(node: ASTNode): node is Extract<ASTNode, { op: (typeof ARITHMETIC)[number] }> {
  return ARITHMETIC.some((operator) => operator === node.op);
}

function isDynamic(node: ASTNode): boolean {
  if (!('checkedType' in node)) return false;
  const type = node.checkedType;
  return typeof type === 'object' && type !== null && 'kind' in type && type.kind === 'dyn';
}
